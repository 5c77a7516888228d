import assert from "node:assert/strict";
import { test } from "node:test";
import { localRules } from "../../../src/client/download-share/local-rules.ts";
import { archiveName, archiveNames, createArchiveNaming } from "../../../src/lib/formats/archive-names.ts";

/** archives, "Names of the entries". */
test("a repeated name gets a number before its extension, ignoring case", () => {
  const files = ["a.txt", "A.TXT", "a.txt", "a (2).txt", "b", "b", ".env", ".env"].map((name) => ({ name, relative_path: null }));
  assert.deepEqual(archiveNames(files), ["a.txt", "A (2).TXT", "a (3).txt", "a (2) (2).txt", "b", "b (2)", ".env", ".env (2)"]);
});

test("names that differ only in Unicode normalization count as repeated", () => {
  const files = ["caf\u00e9.txt", "cafe\u0301.txt"].map((name) => ({ name, relative_path: null }));
  assert.deepEqual(archiveNames(files), ["caf\u00e9.txt", "cafe\u0301 (2).txt"]);
});

test("makes names unique that only some file systems take for the same", () => {
  const files = ["ΟΔΟΣ.txt", "οδος.txt", "οδοσ.txt", "S", "ſ", "straße", "STRASSE", "K", "\u212a"].map((name) => ({
    name,
    relative_path: null,
  }));
  assert.deepEqual(archiveNames(files), [
    ...["ΟΔΟΣ.txt", "οδος (2).txt", "οδοσ (3).txt", "S", "ſ (2)", "straße", "STRASSE (2)", "K", "\u212a (2)"],
  ]);
});

test("a relative path replaces the name, and a dot in its folders starts no extension", () => {
  const files = [
    { name: "x", relative_path: "v1.0/readme" },
    { name: "y", relative_path: "v1.0/readme" },
    { name: "readme", relative_path: null },
  ];
  assert.deepEqual(archiveNames(files), ["v1.0/readme", "v1.0/readme (2)", "readme"]);
});

test("a file does not get the name of a folder of other files", () => {
  const files = [
    { name: "docs", relative_path: null },
    { name: "x", relative_path: "Docs/deep/a.txt" },
    { name: "y", relative_path: "docs/deep" },
  ];
  assert.deepEqual(archiveNames(files), ["docs (2)", "Docs/deep/a.txt", "docs/deep (2)"]);
});

test("names that come one after another are unique, also if a later folder has the name of an earlier file", () => {
  const name = createArchiveNaming();
  const names = ["trip/a.txt", "Trip/A.txt", "trip", "b", "b/c", "B/c", "../x:y", "trip/a.txt/d"].map(name);
  assert.deepEqual(names, ["trip/a.txt", "Trip/A (2).txt", "trip (2)", "b", "b_c", "B_c (2)", "__/x_y", "trip_a.txt_d"]);
});

test("ten thousand files of one name get different names", () => {
  const files = Array.from({ length: 10_000 }, () => ({ name: "same.txt", relative_path: null }));
  assert.equal(new Set(archiveNames(files)).size, files.length);
});

test("ten thousand paths of hundreds of folders get names without a list of all folders", () => {
  const folders = "a. /".repeat(255);
  const files = Array.from({ length: 10_000 }, (_, number) => ({ name: "x", relative_path: `${number % 7}/${folders}${number}` }));
  const before = process.memoryUsage().heapUsed;
  const names = archiveNames(files);
  assert.ok(process.memoryUsage().heapUsed - before < 300_000_000);
  assert.equal(names[8], `1/${"a__/".repeat(255)}8`);
  assert.equal(new Set(names).size, files.length);
});

test("a run of dots and spaces inside a name is replaced in linear time", () => {
  const name = `${". ".repeat(511)}x`;
  const files = Array.from({ length: 10_000 }, () => ({ name: "x", relative_path: name }));
  assert.equal(archiveNames(files).length, 10_000);
});

/** Matches names that an archive must not have: a Windows device, a drive or stream, a name that Windows changes, a path out of the folder. */
const HARMFUL =
  /(?:^|\/)(?:(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$) *(?=\.|\/|$)|\.+(?=\/|$))|[<>:"|?*\\\p{Cc}]|[. ](?=\/|$)|^\/|\/\//iu;

const safeName = (path: string): string => archiveNames([{ name: "x", relative_path: path }])[0] ?? "";

test("names that are not safe on Windows are changed and stay recognizable", () => {
  const cases = [
    ["nul", "_nul"],
    ["NUL.txt", "_NUL.txt"],
    ["nul .tar.gz", "_nul .tar.gz"],
    ["con.", "_con_"],
    ["aux/readme", "_aux/readme"],
    ["docs/Com1.log", "docs/_Com1.log"],
    ["LPT9", "_LPT9"],
    ["com¹.txt", "_com¹.txt"],
    ["CONIN$", "_CONIN$"],
    ["conout$.dat", "_conout$.dat"],
    ["report.", "report_"],
    ["report. .", "report___"],
    ["folder /a", "folder_/a"],
    ["C:", "C_"],
    ["C:/Windows/x", "C_/Windows/x"],
    ["a.txt:evil", "a.txt_evil"],
    ['<a>:"b"|?*', "_a___b____"],
    ["..\\..\\evil.bat", ".._.._evil.bat"],
    ["/etc/passwd", "etc/passwd"],
    ["../../evil", "__/__/evil"],
    ["a//b", "a/b"],
    ["/", "_"],
    ["a\u0000\nb", "a__b"],
    // Safe names stay unchanged.
    ["console.log", "console.log"],
    ["com10", "com10"],
    ["nullable.ts", "nullable.ts"],
    [".env", ".env"],
    ["größe – 文.txt", "größe – 文.txt"],
  ] as const;
  for (const [path, expected] of cases) {
    assert.equal(safeName(path), expected);
    assert.doesNotMatch(safeName(path), HARMFUL);
  }
});

test("names that become equal when made safe get numbers", () => {
  const files = ["a:b", "a?b", "A_B", "nul", "_nul", "x.", "x_"].map((name) => ({ name, relative_path: null }));
  assert.deepEqual(archiveNames(files), ["a_b", "a_b (2)", "A_B (3)", "_nul", "_nul (2)", "x_", "x_ (2)"]);
});

test("a name has at most 255 bytes, with its number", () => {
  const [long, device] = [`${"é".repeat(125)}e.txt`, `nul.${"x".repeat(251)}`];
  const names = archiveNames([long, long, device, device].map((name) => ({ name: "x", relative_path: `docs/${name}` })));
  assert.equal(new Set(names).size, 4);
  for (const name of names) assert.ok(Buffer.byteLength(name.slice("docs/".length)) <= 255, name);
  assert.match(names[1] ?? "", /é \(2\)\.txt$/);
});

test("a name that is shortened for its number does not end in a dot or a space", () => {
  for (const end of [".", " "]) {
    const long = `${"x".repeat(200)}.${"y".repeat(45)}${end}${"y".repeat(8)}`;
    const names = archiveNames([long, long].map((name) => ({ name, relative_path: null })));
    assert.equal(new Set(names).size, 2);
    for (const name of names) assert.doesNotMatch(name, HARMFUL);
  }
});

test("ten thousand long names that are equal when shortened get different names", () => {
  const names = Array.from({ length: 5000 }, (_, index) => `${"x".repeat(250)}${index}`.slice(0, 255));
  const files = [...names, ...names].map((name) => ({ name, relative_path: null }));
  const all = archiveNames(files);
  assert.equal(new Set(all).size, files.length);
  assert.ok(all.every((name) => name.length <= 255));
});

/** archives, "Names of the archives". */
test("an archive without a title has the name of the folder that was sent, also of a hidden one, or of its files", () => {
  const share = { title: null, name: "Shipment", short_id: "7kXq9Zab" };
  assert.equal(archiveName(share, [".config/a", ".config/b/c"]), ".config.zip");
  assert.equal(archiveName(share, ["Trip/a", "Trips/b"]), "a and 1 more-7kXq9Zab.zip");
  assert.equal(archiveName(share, ["v1.2/IMG_2041.tar.gz", "b.txt", "c.txt"]), "IMG_2041.tar and 2 more-7kXq9Zab.zip");
  assert.equal(archiveName(share, [".env"]), ".env-7kXq9Zab.zip");
  assert.equal(archiveName(share, ["encrypted-0123456789abcdef.tar.age", "b.txt"]), "Shipment-7kXq9Zab.zip");
  assert.equal(archiveName(share, []), "Shipment-7kXq9Zab.zip");
  assert.equal(archiveName({ ...share, title: "Rome" }, ["Trip/a"]), "Rome-7kXq9Zab.zip");
});

/** client down, "Where files are saved". */
test("names on one system change only what is dangerous there", () => {
  const paths = ["d/CON", "d/tail.", "d/a:b?.txt", "d/A.txt", "d/a.TXT", "d/../x", "/d//./y", "d/a\u0001b", ".ssh/k"];
  const files = paths.map((path) => ({ name: "x", relative_path: path }));
  const kept = ["d/CON", "d/tail.", "d/a:b?.txt", "d/A.txt"];
  assert.deepEqual(archiveNames(files, localRules("linux")), [...kept, "d/a.TXT", "d/__/x", "d/_/y", "d/a_b", ".ssh/k"]);
  assert.deepEqual(archiveNames(files, localRules("darwin")), [...kept, "d/a (2).TXT", "d/__/x", "d/_/y", "d/a_b", ".ssh/k"]);
  assert.deepEqual(archiveNames(files, localRules("win32")), archiveNames(files));
});
