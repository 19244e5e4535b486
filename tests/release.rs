//! What is published of a version: archives and packages hold the same files, all of what a user needs, and the same bytes each time
//! (`.ci/release`); a release build knows its commit (`.cargo/commit.rs`); one version stands everywhere, and one
//! profile is installed, published and measured.
//!
//! Cost: the command of the tests, without symbols, is packed three times; 3 s.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::documents::{manifest, shell};
use std::fs;
use std::path::Path;

fn text(path: &str) -> String {
    fs::read_to_string(manifest().join(path)).unwrap()
}

/// Runs a line, which has to succeed; what it prints.
fn done(line: &str, folder: &Path) -> String {
    let (printed, succeeds) = shell(line, folder);
    assert!(succeeds, "{line}\n{printed}");
    printed
}

const FILES: [&str; 9] = [
    "bin/sysyc",
    "share/bash-completion/completions/sysyc",
    "share/doc/sysyc/LICENSE",
    "share/doc/sysyc/docs/tutorial.md",
    "share/fish/vendor_completions.d/sysyc.fish",
    "share/man/man1/sysyc.1.gz",
    "share/sysyc/editors/package.json",
    "share/sysyc/runtime/sylib.c",
    "share/sysyc/runtime/sylib.h",
];

#[test]
fn archives_hold_what_users_need_and_are_the_same_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (arch, version) = (std::env::consts::ARCH, env!("CARGO_PKG_VERSION"));
    let script = manifest().join(".ci/release");
    done("strip -o sysyc $(command -v sysyc)", folder);
    for out in ["first", "second"] {
        let line = format!(
            "SOURCE_DATE_EPOCH=1000000000 SYSYC_MAINTAINER='a <a@b.c>' {} --binary $PWD/sysyc --arch {arch} $PWD/{out}",
            script.display()
        );
        done(&line, folder);
    }
    done("diff -r first second && (cd first && sha256sum --quiet -c SHA256SUMS)", folder);

    let name = format!("sysyc-{version}-{arch}-linux");
    done(&format!("tar xf first/{name}.tar.gz && dpkg-deb -x first/*.deb deb"), folder);
    let zsh = [
        format!("{name}/share/zsh/site-functions/_sysyc"),
        "deb/usr/share/zsh/vendor-completions/_sysyc".into(),
    ];
    let all = FILES.iter().flat_map(|file| [format!("{name}/{file}"), format!("deb/usr/{file}")]).chain(zsh);
    for file in all {
        assert!(
            fs::metadata(folder.join(&file)).is_ok_and(|file| file.len() > 100),
            "{file} is missing or empty"
        );
    }
    for root in [name.as_str(), "deb/usr"] {
        let hello = done(&format!("{root}/bin/sysyc run {root}/share/doc/sysyc/hello.sy"), folder);
        assert_eq!(
            hello,
            done(&format!("sysyc run {}", manifest().join("examples/hello.sy").display()), folder)
        );
        let page = done(&format!("zcat {root}/share/man/man1/sysyc.1.gz"), folder);
        assert_eq!(page, done("sysyc --print=man", folder));
    }
    let control = done("dpkg-deb -f first/*.deb", folder);
    assert!(control.contains(&format!("Version: {version}\n")), "{control}");
}

#[test]
fn a_release_build_knows_its_commit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let source = manifest().join(".cargo/commit.rs");
    done(&format!("rustc --edition 2024 -o commit {}", source.display()), folder);
    let told = |line: &str| {
        let printed = done(line, folder);
        let commit = printed.lines().find_map(|line| line.strip_prefix("cargo::rustc-env=SYSYC_COMMIT="));
        commit.expect("it tells one").to_string()
    };
    assert_eq!(told("SYSYC_COMMIT=mine PROFILE=debug ./commit"), "mine");
    assert_eq!(told("PROFILE=release ./commit"), "", "of no checkout");

    let record = "{\n  \"git\": {\n    \"sha1\": \"0123456789abcdef\"\n  },\n  \"path_in_vcs\": \"\"\n}";
    fs::write(folder.join(".cargo_vcs_info.json"), record).unwrap();
    assert_eq!(told("PROFILE=release ./commit"), "012345678");
    fs::remove_file(folder.join(".cargo_vcs_info.json")).unwrap();

    done("git init -q . && git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x", folder);
    let of_git = done("git log -1 --abbrev=9 --format='%h %cs'", folder);
    assert_eq!(told("PROFILE=release ./commit"), of_git.trim());
    assert_eq!(told("PROFILE=debug ./commit"), "");
}

/// What is measured is optimised as what is published is, and `.ci/release` takes the file that it has built.
#[test]
fn one_profile_is_installed_published_and_measured() {
    let manifest = text("Cargo.toml");
    let profile = |head: &str| -> Vec<&str> {
        let rows = manifest.split(head).nth(1).unwrap_or_default().lines();
        rows.take_while(|line| !line.is_empty()).collect()
    };
    let tuned = profile("[profile.tuned]\ninherits = \"release\"\n");
    assert_eq!(tuned, ["lto = \"fat\"", "codegen-units = 1"]);
    // It is a `release`, too.
    assert_eq!(profile("[profile.bench]\n"), tuned);
    assert_eq!(profile("[profile.profiling]\n")[0], "inherits = \"tuned\"");
    let script = text(".ci/release");
    assert!(script.contains("cargo build --profile tuned --locked --target \"$triple\""));
    assert!(script.contains("/$triple/tuned/sysyc\""));
    assert!(text("README.md").contains("cargo install --path . --profile tuned\n"));
}

#[test]
fn one_version_stands_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    assert!(text("capi/Cargo.toml").contains(&format!("\nversion = \"{version}\"\n")));
    assert!(text("docs/editors/package.json").contains(&format!("\"version\": \"{version}\"")));
    let newest = text("docs/changelog.md").lines().find(|line| line.starts_with("## ")).unwrap().to_string();
    assert!(newest.starts_with(&format!("## {version} ")), "{newest}");
}
