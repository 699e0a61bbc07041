// Eigen with the same bits on every machine. The library includes it through this header alone, before anything else could.
//
// Left to itself Eigen adds up in packets, as many numbers as a SIMD register of the machine holds, and multiplies matrices in blocks, as long as
// what its caches hold and its number of threads allow: each of these is another order of a sum. Here sums are scalar, blocks have one size, and
// products run on the calling thread.
//
// The namespace has a name of its own. A program that has Eigen too has functions of the same names, made with other options, and its linker
// keeps one of each: that would change these bits, or let the program's arrays be aligned otherwise than it expects.
#pragma once

#if defined(EIGEN_CORE_H)
#error "Eigen was included before src/problems/eigen.hpp, with its own options"
#endif

#define EIGEN_DONT_VECTORIZE
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_CPUID
#define EIGEN_DEFAULT_L1_CACHE_SIZE (32 * 1024)
#define EIGEN_DEFAULT_L2_CACHE_SIZE (256 * 1024)
#define EIGEN_DEFAULT_L3_CACHE_SIZE (2 * 1024 * 1024)
#define Eigen CairnEigen

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
