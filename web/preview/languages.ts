import { c, cpp, csharp, dart, java, kotlin, objectiveC, scala } from "@codemirror/legacy-modes/mode/clike";
import { clojure } from "@codemirror/legacy-modes/mode/clojure";
import { cmake } from "@codemirror/legacy-modes/mode/cmake";
import { css, less, sCSS } from "@codemirror/legacy-modes/mode/css";
import { diff } from "@codemirror/legacy-modes/mode/diff";
import { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
import { erlang } from "@codemirror/legacy-modes/mode/erlang";
import { go } from "@codemirror/legacy-modes/mode/go";
import { groovy } from "@codemirror/legacy-modes/mode/groovy";
import { haskell } from "@codemirror/legacy-modes/mode/haskell";
import { javascript, json, jsonld, typescript } from "@codemirror/legacy-modes/mode/javascript";
import { julia } from "@codemirror/legacy-modes/mode/julia";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { fSharp, oCaml } from "@codemirror/legacy-modes/mode/mllike";
import { nginx } from "@codemirror/legacy-modes/mode/nginx";
import { perl } from "@codemirror/legacy-modes/mode/perl";
import { powerShell } from "@codemirror/legacy-modes/mode/powershell";
import { properties } from "@codemirror/legacy-modes/mode/properties";
import { protobuf } from "@codemirror/legacy-modes/mode/protobuf";
import { python } from "@codemirror/legacy-modes/mode/python";
import { r } from "@codemirror/legacy-modes/mode/r";
import { ruby } from "@codemirror/legacy-modes/mode/ruby";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { standardSQL } from "@codemirror/legacy-modes/mode/sql";
import { stex } from "@codemirror/legacy-modes/mode/stex";
import { swift } from "@codemirror/legacy-modes/mode/swift";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { html, xml } from "@codemirror/legacy-modes/mode/xml";
import { yaml } from "@codemirror/legacy-modes/mode/yaml";
import type { StreamParser } from "@codemirror/streamparser";

type Language = readonly [names: string, parser: StreamParser<unknown>];

/** The languages, with their extensions, whole file names, and names in Markdown. */
const LANGUAGES: readonly Language[] = [
  ["js mjs cjs jsx javascript", javascript],
  ["ts mts cts tsx typescript", typescript],
  ["json json5 jsonl ndjson webmanifest geojson", json],
  ["jsonld", jsonld],
  ["html htm xhtml vue svelte", html],
  ["xml xsd xsl svg rss atom plist gpx kml", xml],
  ["css", css],
  ["scss", sCSS],
  ["less", less],
  ["py pyi python", python],
  ["rs rust", rust],
  ["go", go],
  ["rb rake gemspec ruby gemfile rakefile", ruby],
  ["sh bash zsh ksh shell console bashrc profile", shell],
  ["ps1 psm1 powershell", powerShell],
  ["c h", c],
  ["cc cpp cxx hh hpp c++", cpp],
  ["m mm objc", objectiveC],
  ["cs csharp", csharp],
  ["java", java],
  ["kt kts kotlin", kotlin],
  ["scala", scala],
  ["dart", dart],
  ["groovy gradle", groovy],
  ["swift", swift],
  ["sql", standardSQL],
  ["toml", toml],
  ["yml yaml", yaml],
  ["ini cfg conf properties env editorconfig", properties],
  ["diff patch", diff],
  ["dockerfile containerfile", dockerFile],
  ["nginx", nginx],
  ["cmake", cmake],
  ["lua", lua],
  ["pl pm perl", perl],
  ["r", r],
  ["jl julia", julia],
  ["hs haskell", haskell],
  ["ml mli ocaml", oCaml],
  ["fs fsx fsharp", fSharp],
  ["clj cljs edn clojure", clojure],
  ["erl hrl erlang", erlang],
  ["proto protobuf", protobuf],
  ["tex sty latex", stex],
];

const PARSERS: ReadonlyMap<string, StreamParser<unknown>> = new Map(
  LANGUAGES.flatMap(([names, parser]) => names.split(" ").map((name) => [name, parser] as const)),
);

/** Finds the parser for a file's extension, for a whole name such as `Dockerfile`, or for a language that Markdown names. */
export const findLanguage = (name: string): StreamParser<unknown> | undefined => PARSERS.get(name.split(".").at(-1)?.toLowerCase() ?? "");
