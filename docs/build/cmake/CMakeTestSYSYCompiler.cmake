# A program is made of nothing but sysyc, so one that tells its version works.
if(CMAKE_SYSY_COMPILER_VERSION)
  set(CMAKE_SYSY_COMPILER_WORKS 1 CACHE INTERNAL "")
else()
  message(FATAL_ERROR "'${CMAKE_SYSY_COMPILER}' is no sysyc: it does not tell its version")
endif()
