//! The clients of `examples/`: what they make runs.

use super::*;

#[path = "../../examples/ast.rs"]
#[allow(dead_code)]
mod ast;

#[path = "../../examples/calculator.rs"]
#[allow(dead_code)]
mod calculator;

#[path = "../../examples/jit.rs"]
#[allow(dead_code)]
mod jit;

#[test]
fn a_language_in_a_hundred_lines_makes_programs() {
    let text = "fact(n) = if n < 2 then 1 else n * fact(n - 1)\nfib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2)\n
        both(a, b) = (if a > b then fact(a) else fib(b)) - later()\nlater() = 7\n";
    let c = "#include <stdio.h>\nint both(int, int);\n
        int main(void) { printf(\"%d %d\\n\", both(6, 3), both(3, 20)); return 0; }";
    assert_eq!(with_c(|target| Ok(calculator::compile(text, target).unwrap()), c), "713 6758\n");
    let target = Target::new("aarch64").unwrap();
    for (wrong, what) in
        [("f(x) = y", "there is no 'y'"), ("f(x) = f(", "missing"), ("f(x) = f(x, x)", "other arguments")]
    {
        let error = calculator::compile(wrong, target).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn a_tree_becomes_an_object() {
    let build = |target| Ok(ast::module(&ast::sample(), target).unwrap());
    let c = "int collatz(int);\nint main(void) { return collatz(27) != 111 || collatz(1) != 0; }";
    assert_eq!(with_c(build, c), "111 steps\n0 steps\n");
    let wrong = [
        (ast::Expr::Name("x"), "f: there is no 'x'"),
        (ast::Expr::Call("g", Vec::new()), "f: there is no function 'g'"),
        (ast::Expr::Call("f", vec![ast::Expr::Number(1)]), "f: 'f' takes other arguments"),
    ];
    for (expr, what) in wrong {
        let body = vec![ast::Statement::Return(expr)];
        let functions = vec![ast::Function { name: "f", params: Vec::new(), body }];
        let program = ast::Program { texts: Vec::new(), functions };
        let error = ast::module(&program, Target::new("armv7").unwrap()).unwrap_err();
        assert_eq!(error.to_string(), what);
    }
}

#[test]
fn a_jit_calls_what_it_has_compiled() {
    const BASE: u64 = 0x2000_0000;
    let lines = [
        "square x = x x *",
        "norm x y = x square y square +",
        "least x y = x y < x y ?",
        "work x = x 3 norm 50 least x -",
    ];
    for (name, gcc, qemu) in TARGETS {
        let mut jit = jit::Jit::new(Target::new(name).unwrap(), BASE);
        let addresses: Vec<u64> = lines.iter().map(|line| jit.define(line).unwrap()).collect();
        let c = format!(
            "#define _GNU_SOURCE\n#include <stdio.h>\n#include <fcntl.h>\n#include <sys/mman.h>\n
            int main(void) {{
                int all = PROT_READ | PROT_WRITE | PROT_EXEC, file = open(\"image\", O_RDONLY);
                char *at = mmap((char *){BASE:#x}, 0x1000, all, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0);
                if (at != (char *){BASE:#x}) perror(\"image\");
                __builtin___clear_cache(at, at + 0x1000);
                for (int k = 0; k < 9; k += 2) printf(\"%d \", ((int (*)(int)){:#x})(k));
                return 0;
            }}",
            addresses[3]
        );
        let folder = tempfile::tempdir().expect("a folder can be made");
        jit.memory.resize(0x1000, 0);
        std::fs::write(folder.path().join("image"), &jit.memory).unwrap();
        std::fs::write(folder.path().join("loader.c"), c).unwrap();
        run(folder.path(), Command::new(gcc).args(["-O1", "-static", "loader.c", "-o", "loader"]));
        assert_eq!(run(folder.path(), Command::new(qemu).arg("loader")), "9 11 21 39 42 ", "{name}");
        for (wrong, what) in
            [("f = 1 g", "there is no 'g'"), ("h = 1 +", "'+' takes 2"), ("i =", "ret: void")]
        {
            let error = jit.define(wrong).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        }
    }
}
