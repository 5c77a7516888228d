import { closeTo } from "../lib/text/suggestions.ts";

/** Names that other programs use for commands, with the first words of the command. */
const OTHER_NAMES: readonly (readonly [names: readonly string[], command: string])[] = [
  [["upload", "put", "push", "add", "store", "publish", "copy", "cp"], "up"],
  [["encrypt"], "up --encrypt"],
  [["get", "download", "dl", "fetch", "pull", "receive", "cat", "wget", "curl", "decrypt"], "down"],
  [["delete", "del", "remove", "erase", "unlink", "rmdir"], "rm"],
  [["list", "dir", "ll"], "ls"],
  [["move", "rename", "ren"], "mv"],
  [["md", "folder", "mkfolder", "newfolder"], "mkdir"],
  [["signin", "sign-in", "auth", "connect"], "login"],
  [["signout", "sign-out"], "logout"],
  [["signup", "sign-up"], "register"],
  [["show", "stat", "details", "status"], "info"],
  [["start", "run", "server", "daemon"], "serve"],
  [["who", "me", "account", "id", "quota", "usage", "space", "df"], "whoami"],
  [["lock", "unlock", "password"], "protect"],
  [["browse", "view"], "open"],
  [["link", "edit", "set", "expire", "extend", "renew", "change"], "share"],
  [["user", "accounts"], "users"],
  [["key", "token", "tokens", "apikey"], "keys"],
  [["check", "diagnose"], "doctor"],
  [["follow", "tail", "monitor"], "watch"],
  [["complete", "completion"], "completions"],
];

/** Words for the same action. The second words of commands are among them. */
const ACTIONS: readonly (readonly string[])[] = [
  ["create", "add", "new", "make", "mk", "register", "insert"],
  ["delete", "remove", "rm", "del", "erase", "destroy", "revoke", "drop", "unset", "close"],
  ["list", "ls", "all", "index"],
  ["show", "get", "info", "view", "cat", "details", "describe", "status", "list"],
  ["change", "set", "edit", "update", "modify", "use"],
  ["retry", "run", "repeat", "again"],
  ["disable", "suspend", "lock", "block"],
  ["enable", "unlock", "unblock", "activate"],
];

/** Returns the command that the first word of a command line means; undefined if none is close. */
export function suggestCommand(word: string, firstWords: readonly string[]): string | undefined {
  const name = word.toLowerCase();
  const others = new Map(OTHER_NAMES.flatMap(([names, command]) => names.map((other) => [other, command] as const)));
  const known = others.get(name);
  if (known !== undefined) return known;
  const close = closeTo(name, [...firstWords, ...others.keys()]);
  return close === undefined ? undefined : firstWords.includes(close) ? close : others.get(close);
}

/** Returns the second word of a family of commands that a word means; undefined if none is close. */
export function suggestSecond(word: string, secondWords: readonly string[]): string | undefined {
  const toKnown = (verb: string): string | undefined =>
    ACTIONS.filter((action) => action.includes(verb))
      .flat()
      .find((synonym) => secondWords.includes(synonym));
  const name = word.toLowerCase();
  const verbs = ACTIONS.flat().filter((verb) => toKnown(verb) !== undefined);
  const close = toKnown(name) ?? closeTo(name, [...secondWords, ...verbs]);
  return close === undefined || secondWords.includes(close) ? close : toKnown(close);
}
