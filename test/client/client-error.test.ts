import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { wordError } from "../../src/cli/client/client-advice.ts";
import { commandGroups } from "../../src/cli/commands.ts";
import { addAdvice, ClientError } from "../../src/client/client-error.ts";
import { AppError, invalidField } from "../../src/errors.ts";

const root = resolve(import.meta.dirname, "../..");
const names = commandGroups.flatMap(({ commands }) => commands.map(({ name }) => name.split(" ")[0] ?? ""));
/** An option, such as `--force` or `-o`, or a command, such as `filehost ls`. */
const WORDS_OF_COMMANDS = new RegExp(
  String.raw`(?<![\w-])(?:--[a-z][a-z-]+|-[a-z](?![\w-]))|\bfilehost (?:${[...new Set(names)].join("|")})\b`,
);

const withoutComments = (code: string): string => code.replace(/^\s*(?:\/\/|\/\*\*|\*).*$/gm, "");

/** command-line, "Messages". */
test("the client names no option and no command, because programs other than commands use it", () => {
  const found = ["src/client/**/*.ts", "src/transfer/**/*.ts"]
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .flatMap((path) =>
      withoutComments(readFileSync(join(root, path), "utf8"))
        .split("\n")
        .filter((line) => WORDS_OF_COMMANDS.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
  assert.deepEqual(found, []);
});

test("an error keeps its code, fields and problem, and gets all its advice in the words of commands", () => {
  const error = addAdvice(new ClientError("CONFLICT", "The file exists.", { advice: [{ kind: "replaceOrRename" }] }), {
    kind: "finishDownload",
    path: "/tmp/a.part",
  });
  const { code, message } = wordError(error);
  assert.equal(code, "CONFLICT");
  assert.equal(
    message,
    "The file exists. Replace it with --force, or choose another name with -o. All bytes are in /tmp/a.part: run the command again, and nothing is downloaded again.",
  );
  const { fields } = wordError(addAdvice(invalidField("", "This is no ID."), { kind: "findId" }));
  assert.deepEqual(fields.issues, [{ path: "", message: "This is no ID. Copy it from filehost ls, or from the share's page." }]);
  const other = new AppError("NOT_FOUND", "The file was not found.");
  assert.equal(wordError(other), other);
});
