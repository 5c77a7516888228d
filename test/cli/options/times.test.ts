import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { execute, makeDataFolder, run } from "../support.ts";

interface Listed {
  readonly proUntil: string | null;
}

/** command line, "Times and sizes". */
describe("the times of options", () => {
  it("are durations, dates, and times with or without a zone, local by default and printed with the zone", async () => {
    await using folder = await makeDataFolder();
    const options = { cwd: folder.path, env: { ...folder.env, TZ: "America/New_York" } };
    await run(["users", "create", "--email", "ada@example.org", "--name", "Ada"], folder.env);
    const setUntil = async (text: string) => {
      const words = ["users", "set-tier", "ada@example.org", "pro", "--until", text];
      const { stdout, stderr, code } = await execute([...words, "--json"], options);
      assert.equal(code, 0, stderr);
      return (JSON.parse(stdout) as Listed).proUntil;
    };
    for (const [text, iso] of [
      ["2030-01-31", "2030-01-31T05:00:00.000Z"],
      ["2030-07-31", "2030-07-31T04:00:00.000Z"],
      ["2030-01-31T12:00", "2030-01-31T17:00:00.000Z"],
      ["2030-01-31 12:00:30", "2030-01-31T17:00:30.000Z"],
      ["2030-01-31T12:00Z", "2030-01-31T12:00:00.000Z"],
      ["2030-01-31 12:00 UTC", "2030-01-31T12:00:00.000Z"],
      ["2030-01-31T12:00+02:00", "2030-01-31T10:00:00.000Z"],
      ["2030-01-31 12:00 -0500", "2030-01-31T17:00:00.000Z"],
    ] as const)
      assert.equal(await setUntil(text), iso, text);
    const shown = await execute(["users", "show", "ada@example.org"], options);
    assert.match(shown.stdout, /pro until 2030-01-31 12:00 -05:00/);
    const inUtc = await execute(["users", "show", "ada@example.org"], { ...options, env: { ...folder.env, TZ: "UTC" } });
    assert.match(inUtc.stdout, /pro until 2030-01-31 17:00 UTC/);
  });

  it("are refused in the same words in every option", async () => {
    await using folder = await makeDataFolder();
    const commands = [
      ["up", "x", "--url", "http://127.0.0.1:1", "--expires"],
      ["import", "http://127.0.0.1:1/x", "--url", "http://127.0.0.1:1", "--expires"],
      ["share", "4kTqW9xZ", "--url", "http://127.0.0.1:1", "--expires-at"],
      ["share", "4kTqW9xZ", "--url", "http://127.0.0.1:1", "--extend-ttl"],
      ["requests", "create", "x", "--url", "http://127.0.0.1:1", "--expires-at"],
      ["users", "create", "--email", "a@example.org", "--name", "A", "--tier", "pro", "--until"],
      ["audit-log", "--since"],
      ["audit-log", "--until"],
    ];
    await run(["users", "create", "--email", "ada@example.org", "--name", "Ada"], folder.env);
    for (const words of commands)
      for (const text of ["tomorrow", "2030-02-31", "2030-13-01", "7 days", "31.01.2030", "12:00"]) {
        const { code, stderr } = await run([...words, text], { ...folder.env, HOME: folder.path });
        assert.equal(code, 2, `${words.join(" ")} ${text}: ${stderr}`);
        assert.match(stderr, /7d, 2030-01-31 or 2030-01-31T12:00/, words.join(" "));
      }
  });
});
