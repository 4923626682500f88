set terminal svg size 800,500 background 'white'
set output 'pass.svg'
set title 'A pass over all groups, by groups (5,000 caches, 4 nodes)'
set xlabel 'groups'
set ylabel 'seconds'
set logscale xy
set format x '%.0s%c'
set format y '%.0s %cs'
set key outside right noenhanced
plot 'pass.dat' index 0 with linespoints lw 2 title 'dense', \
     'pass.dat' index 1 with linespoints lw 2 title 'dense63', \
     'pass.dat' index 2 with linespoints lw 2 title 'array', \
     'pass.dat' index 3 with linespoints lw 2 title 'xarray_kmalloc', \
     'pass.dat' index 4 with linespoints lw 2 title 'xarray', \
     'pass.dat' index 5 with linespoints lw 2 title 'pairs'
