# Finds sysyc for the language SYSY: -DCMAKE_SYSY_COMPILER=, the environment's SYSYC, or the one in PATH.
if(NOT CMAKE_SYSY_COMPILER)
  if(NOT "$ENV{SYSYC}" STREQUAL "")
    set(CMAKE_SYSY_COMPILER "$ENV{SYSYC}" CACHE FILEPATH "The SysY compiler")
  else()
    find_program(CMAKE_SYSY_COMPILER NAMES sysyc DOC "The SysY compiler" REQUIRED)
  endif()
elseif(NOT IS_ABSOLUTE "${CMAKE_SYSY_COMPILER}")
  find_program(CMAKE_SYSY_COMPILER_PATH NAMES "${CMAKE_SYSY_COMPILER}" REQUIRED)
  set(CMAKE_SYSY_COMPILER "${CMAKE_SYSY_COMPILER_PATH}")
endif()
mark_as_advanced(CMAKE_SYSY_COMPILER)

execute_process(
  COMMAND "${CMAKE_SYSY_COMPILER}" -dumpversion
  OUTPUT_VARIABLE CMAKE_SYSY_COMPILER_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
# An ar that makes an index of objects for any machine; that of the host may not.
find_program(CMAKE_SYSY_AR NAMES llvm-ar llvm-ar-19 riscv64-linux-gnu-ar aarch64-linux-gnu-ar ar DOC "The archiver of SysY objects")
mark_as_advanced(CMAKE_SYSY_AR)

set(CMAKE_SYSY_COMPILER_ENV_VAR "SYSYC")
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeSYSYCompiler.cmake.in"
               "${CMAKE_PLATFORM_INFO_DIR}/CMakeSYSYCompiler.cmake" @ONLY)
