//! The name that programs know the shared library by: it changes where they would have to be compiled again.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libsysyc_capi.so.0");
}
