set terminal svg size 800,500 background 'white'
set output 'latency-create.svg'
set title 'Creating a group: how many took at most so long'
set xlabel 'seconds'
set ylabel 'per cent'
set logscale x
set format x '%.0s %cs'
set format y '%.0s%c'
set key outside right noenhanced
plot 'latency-create.dat' index 0 with lines lw 2 title 'dense', \
     'latency-create.dat' index 1 with lines lw 2 title 'dense63', \
     'latency-create.dat' index 2 with lines lw 2 title 'array', \
     'latency-create.dat' index 3 with lines lw 2 title 'xarray_kmalloc', \
     'latency-create.dat' index 4 with lines lw 2 title 'xarray', \
     'latency-create.dat' index 5 with lines lw 2 title 'pairs'
