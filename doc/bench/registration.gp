set terminal svg size 800,500 background 'white'
set output 'registration.svg'
set title 'Registering a cache, mean of 640, by groups alive (4 nodes)'
set xlabel 'groups'
set ylabel 'seconds'
set logscale xy
set format x '%.0s%c'
set format y '%.0s %cs'
set key outside right noenhanced
plot 'registration.dat' index 0 with linespoints lw 2 title 'dense', \
     'registration.dat' index 1 with linespoints lw 2 title 'dense63', \
     'registration.dat' index 2 with linespoints lw 2 title 'array', \
     'registration.dat' index 3 with linespoints lw 2 title 'xarray_kmalloc', \
     'registration.dat' index 4 with linespoints lw 2 title 'xarray', \
     'registration.dat' index 5 with linespoints lw 2 title 'pairs'
