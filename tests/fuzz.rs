mod generate;
#[test] fn dump() { let a: Vec<String> = std::env::var("GEN").unwrap().split(' ').map(String::from).collect();
 if a[0]=="all" { for f in &generate::FAMILIES { for s in 0..a[1].parse().unwrap() { let n: usize = a[2].parse().unwrap(); std::fs::write(format!("/tmp/gen/{}-{s}-{n}.sy", f.name), generate::program(f.name, s, n)).unwrap(); } } } }
