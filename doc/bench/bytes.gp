set terminal svg size 800,500 background 'white'
set output 'bytes.svg'
set title 'Bytes of an empty group, by caches registered (4 nodes)'
set xlabel 'caches'
set ylabel 'bytes'
set logscale xy
set format x '%.0s%c'
set format y '%.0s %cB'
set key outside right noenhanced
plot 'bytes.dat' index 0 with linespoints lw 2 title 'dense', \
     'bytes.dat' index 1 with linespoints lw 2 title 'dense63', \
     'bytes.dat' index 2 with linespoints lw 2 title 'array', \
     'bytes.dat' index 3 with linespoints lw 2 title 'xarray_kmalloc', \
     'bytes.dat' index 4 with linespoints lw 2 title 'xarray', \
     'bytes.dat' index 5 with linespoints lw 2 title 'pairs'
