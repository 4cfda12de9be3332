"""Support vector machines, with kernels and linear."""
