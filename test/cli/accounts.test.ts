import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { DAY_MS } from "../../src/lib/text/duration.ts";
import type { AdminKeyView, CreatedKey } from "../../src/service/accounts/admin-keys.ts";
import type { AccountDetails } from "../../src/service/accounts/users.ts";
import type { Output } from "../../src/service/contract.ts";
import { makeDataFolder, run, runJson } from "./support.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type ListedUser = Output<"searchUsers">["data"][number];

/** command line, "Commands"; accounts, "Keys and scopes", "Tiers" and "Usernames". */
describe("an account", () => {
  it("is created in a new folder and shown", async () => {
    await using folder = await makeDataFolder();
    const words = ["users", "create", "--email", " Ada@Example.ORG ", "--name", "Ada Lovelace", "--username", "ada", "--admin"];
    const user = await runJson<AccountDetails>(words, folder.env);
    assert.match(user.id, UUID_V7);
    const { id, createdAt, ...rest } = user;
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    const expected = {
      email: "ada@example.org",
      emailVerified: true,
      name: "Ada Lovelace",
      username: "ada",
      role: "admin",
      tier: "free",
      proUntil: null,
      disabledAt: null,
    };
    assert.deepEqual(rest, expected);
    const listed = await runJson<ListedUser[]>(["users", "list"], folder.env);
    assert.deepEqual(listed, [{ ...user, version: listed[0]?.version, usedBytes: 0 }]);
    const list = await run(["users", "list"], folder.env);
    assert.match(list.stdout, new RegExp(`^ID +EMAIL[\\s\\S]*\n${id} +ada@example\\.org +Ada Lovelace +ada +admin +free`));
  });

  it("is created in the data folder that a flag names, which takes precedence", async () => {
    await using folder = await makeDataFolder();
    const other = join(folder.path, "other");
    await runJson(["users", "create", "--email", "a@example.org", "--name", "A", "--data", other], folder.env);
    assert.ok((await stat(join(other, "filehost.db"))).isFile());
    assert.equal((await runJson<unknown[]>(["users", "list", `--data=${other}`], {})).length, 1);
    assert.equal((await run(["users", "list"], folder.env)).code, 4);
  });

  it("is refused with a reason if a value is invalid", async () => {
    await using folder = await makeDataFolder();
    await runJson(["users", "create", "--email", "ada@example.org", "--name", "Ada", "--username", "ada"], folder.env);
    const cases: readonly (readonly [options: readonly string[], code: number, says: RegExp])[] = [
      [["--email", "ADA@example.org", "--name", "x"], 6, /account with the address ada@example\.org already/],
      [["--email", "b@example.org", "--name", "x", "--username", "ada"], 6, /username ada is taken/],
      [["--email", "nobody", "--name", "x"], 2, /"nobody" is not an email address/],
      [["--email", "b@example.org", "--name", " "], 2, /1 to 100 characters/],
      [["--email", "b@example.org", "--name", "a\nb"], 2, /on one line/],
      [["--email", "b@example.org", "--name", "x", "--username", "Bo"], 2, /The username ".*" is not valid/],
      [["--email", "b@example.org", "--name", "x", "--username", "b".repeat(31)], 2, /3 to 30/],
      [["--email", "b@example.org", "--name", "x", "--until", "30d"], 2, /Only the tier pro has an end/],
      [
        ["--email", "b@example.org", "--name", "x", "--tier", "pro", "--until", "soon"],
        2,
        /--until: write a time such as 7d, 2030-01-31 or 2030-01-31T12:00\./,
      ],
      [["--email", "b@example.org", "--name", "x", "--tier", "pro", "--until", "2030-02-31"], 2, /--until: write a time such as/],
      [["--email", "b@example.org", "--name", "x", "--tier", "pro", "--until", "30"], 2, /--until: write a time such as/],
    ];
    for (const [options, code, says] of cases) {
      const outcome = await run(["users", "create", ...options], folder.env);
      assert.equal(outcome.code, code, `${options.join(" ")}: ${outcome.stderr}`);
      assert.match(outcome.stderr, says);
    }
    assert.equal((await runJson<unknown[]>(["users", "list"], folder.env)).length, 1);
  });

  it("gets another tier, for a time or permanently", async () => {
    await using folder = await makeDataFolder();
    const { id } = await runJson<AccountDetails>(
      ["users", "create", "--email", "a@example.org", "--name", "A", "--username", "anna"],
      folder.env,
    );
    const forDays = await runJson<AccountDetails>(["users", "set-tier", "anna", "pro", "--until", "30d"], folder.env);
    assert.equal(forDays.tier, "pro");
    assert.ok(Math.abs(Date.parse(forDays.proUntil ?? "") - Date.now() - 30 * DAY_MS) < 60_000);
    const forDate = await runJson<AccountDetails>(["users", "set-tier", id, "pro", "--until", "2099-12-31"], folder.env);
    assert.equal(forDate.proUntil, "2099-12-31T00:00:00.000Z");
    const forTime = await runJson<AccountDetails>(["users", "set-tier", id, "pro", "--until", "2099-12-31T12:30+02:00"], folder.env);
    assert.equal(forTime.proUntil, "2099-12-31T10:30:00.000Z");
    const byName = ["users", "set-tier", "--tier", "pro", "--user", "anna"];
    assert.equal((await runJson<AccountDetails>(byName, folder.env)).tier, "pro");
    assert.equal((await runJson<AccountDetails>(["users", "set-tier", "--tier=free", id], folder.env)).tier, "free");
    for (const words of [
      [...byName, id],
      [...byName.slice(0, 4), "--user"],
      [...byName.slice(0, 3), "gold", id],
    ])
      assert.equal((await run(words, folder.env)).code, 2, words.join(" "));
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const inGrace = await runJson<AccountDetails>(["users", "set-tier", id, "pro", "--until", hourAgo], folder.env);
    assert.deepEqual([inGrace.tier, inGrace.proUntil], ["pro", hourAgo]);
    const longOver = await runJson<AccountDetails>(["users", "set-tier", id, "pro", "--until", "2001-01-01"], folder.env);
    assert.deepEqual([longOver.tier, longOver.proUntil], ["free", "2001-01-01T00:00:00.000Z"]);
    assert.equal((await runJson<AccountDetails>(["users", "set-tier", "A@example.org", "pro"], folder.env)).proUntil, null);
    assert.equal((await runJson<AccountDetails>(["users", "set-tier", "a@example.org", "free"], folder.env)).tier, "free");
    assert.equal((await runJson<ListedUser[]>(["users", "list"], folder.env))[0]?.tier, "free");
  });

  it("gets, changes and loses a username", async () => {
    await using folder = await makeDataFolder();
    const ada = await runJson<AccountDetails>(["users", "create", "--email", "ada@example.org", "--name", "Ada"], folder.env);
    await runJson<AccountDetails>(["users", "create", "--email", "bo@example.org", "--name", "Bo", "--username", "bo_"], folder.env);
    const set = async (...words: string[]): Promise<string | null> =>
      (await runJson<AccountDetails>(["users", "set-username", ...words], folder.env)).username;
    assert.equal(ada.username, null);
    assert.equal(await set("ada@example.org", "ada"), "ada");
    assert.equal(await set("ada", "ada"), "ada");
    assert.equal(await set("--user", ada.id, "--name", "lovelace"), "lovelace");
    assert.equal(await set("bo_", "ada"), "ada", "a former username is free");
    assert.equal(await set("lovelace", "--none", "--yes"), null);
    assert.equal(await set(ada.id, "--none", "--yes"), null);
    const refused: readonly (readonly [words: readonly string[], code: number, says: RegExp])[] = [
      [[ada.id, "ada"], 6, /username ada is taken/],
      [[ada.id, "ADA"], 2, /The username ".*" is not valid/],
      [[ada.id, "no"], 2, /3 to 30/],
      [[ada.id, "a".repeat(31)], 2, /3 to 30/],
      [[ada.id, "ada@example.org"], 2, /The username ".*" is not valid/],
      [[ada.id, "ädä"], 2, /The username ".*" is not valid/],
      [[ada.id], 2, /requires a NAME, or --none/],
      [[ada.id, "lovelace", "--none"], 2, /not both/],
      [["nobody", "lovelace"], 4, /There is no account nobody/],
      [["nobody", "--none", "--yes"], 4, /There is no account nobody/],
    ];
    for (const [words, code, says] of refused) {
      const outcome = await run(["users", "set-username", ...words], folder.env);
      assert.equal(outcome.code, code, `${words.join(" ")}: ${outcome.stderr}`);
      assert.match(outcome.stderr, says);
    }
    const names = (await runJson<ListedUser[]>(["users", "list"], folder.env)).map(({ username }) => username);
    assert.deepEqual(names.sort(), [null, "ada"].sort());
  });

  it("is named by an email address of any length", async () => {
    await using folder = await makeDataFolder();
    const email = `${"a".repeat(60)}@${"b".repeat(60)}.${"c".repeat(60)}.example.org`;
    const { id } = await runJson<AccountDetails>(["users", "create", "--email", email, "--name", "Ada"], folder.env);
    assert.equal((await runJson<AccountDetails>(["users", "disable", email], folder.env)).id, id);
    assert.deepEqual(await runJson(["users", "delete", email, "--yes"], folder.env), { id });
  });

  it("is found by parts of its names and by its state", async () => {
    await using folder = await makeDataFolder();
    for (const [name, ...flags] of [["Ada", "--admin"], ["Bo"], ["Ada the second"]])
      await runJson(["users", "create", "--email", `${name?.length}@example.org`, "--name", name ?? "", ...flags], folder.env);
    const [bo] = await runJson<ListedUser[]>(["users", "list", "--search", "bo"], folder.env);
    await runJson(["users", "disable", bo?.id ?? ""], folder.env);
    const find = async (...options: string[]): Promise<string[]> =>
      (await runJson<ListedUser[]>(["users", "list", ...options], folder.env)).map(({ name }) => name);
    assert.deepEqual(await find(), ["Ada the second", "Bo", "Ada"]);
    assert.deepEqual(await find("--limit", "2"), ["Ada the second", "Bo"]);
    assert.deepEqual(await find("--search", "ADA"), ["Ada the second", "Ada"]);
    assert.deepEqual(await find("--search", "ada", "--filter", "administrators"), ["Ada"]);
    assert.deepEqual(await find("--filter", "disabled"), ["Bo"]);
    assert.deepEqual(await find("--filter", "agents"), []);
    assert.equal((await run(["users", "list", "--search", "%"], folder.env)).stdout, "No accounts found.\n");
    assert.equal((await run(["users", "list", "--filter", "cats"], folder.env)).code, 2);
    assert.equal((await run(["users", "list", "--limit", "0"], folder.env)).code, 2);
  });

  it("is shown with its storage, sessions and keys", async () => {
    await using folder = await makeDataFolder();
    const user = await runJson<AccountDetails>(["users", "create", "--email", "ada@example.org", "--name", "Ada"], folder.env);
    const key = await runJson<CreatedKey>(["keys", "create", "--user", user.id, "--label", "laptop"], folder.env);
    const shown = await runJson<Output<"getUserDetails">>(["users", "show", "ada@example.org"], folder.env);
    assert.deepEqual([shown.id, shown.storage.usedBytes, shown.hasTwoFactor, shown.sessions], [user.id, 0, false, []]);
    assert.deepEqual(
      shown.keys.map(({ id, prefix }) => [id, prefix]),
      [[key.id, key.prefix]],
    );
    const { stdout } = await run(["users", "show", user.id], folder.env);
    assert.match(stdout, /^id +[-0-9a-f]+\nemail +ada@example\.org\n/);
    assert.match(stdout, new RegExp(`\nstorage +0 bytes of .*\n[\\s\\S]*\nkey +${key.prefix}  full  laptop\n$`));
    assert.equal((await run(["users", "show", "nobody"], folder.env)).code, 4);
  });

  it("gets no username that another account gets concurrently", async () => {
    await using folder = await makeDataFolder();
    for (const name of ["ada", "bo"]) await runJson(["users", "create", "--email", `${name}@example.org`, "--name", name], folder.env);
    const both = ["ada", "bo"].map((name) => run(["users", "set-username", `${name}@example.org`, "wanted"], folder.env));
    assert.deepEqual((await Promise.all(both)).map(({ code }) => code).sort(), [0, 6]);
  });

  it("causes an error if it does not exist", async () => {
    await using folder = await makeDataFolder();
    await runJson(["users", "create", "--email", "a@example.org", "--name", "A"], folder.env);
    for (const words of [
      ["users", "set-tier", "b@example.org", "pro"],
      ["users", "disable", "b@example.org"],
      ["users", "enable", "b@example.org"],
      ["keys", "create", "--user", "b@example.org"],
      ["keys", "list", "--user", "b@example.org"],
    ]) {
      const outcome = await run(words, folder.env);
      assert.deepEqual([outcome.code, outcome.stdout], [4, ""]);
      assert.match(outcome.stderr, /There is no account b@example\.org/);
    }
  });
});

describe("a key", () => {
  it("is printed once, and listed without the secret", async () => {
    await using folder = await makeDataFolder();
    const user = await runJson<AccountDetails>(["users", "create", "--email", "a@example.org", "--name", "A"], folder.env);
    const key = await runJson<CreatedKey>(
      ["keys", "create", "--user", "a@example.org", "--scope", "files_read", "--label", "laptop"],
      folder.env,
    );
    assert.match(key.key, /^bc_[0-9A-Za-z]{8}_[\w-]{43}$/);
    assert.equal(key.prefix, key.key.slice(0, 11));
    assert.deepEqual([key.scope, key.label, key.userId], ["files_read", "laptop", user.id]);
    const other = await run(["keys", "create", "--user", user.id], folder.env);
    assert.match(other.stdout, /^bc_[0-9A-Za-z]{8}_[\w-]{43}\n$/);
    assert.match(other.stderr, /shown once/);
    const list = await run(["keys", "list", "--json"], folder.env);
    assert.ok(!list.stdout.includes(key.key.slice(12)));
    const keys = JSON.parse(list.stdout) as AdminKeyView[];
    assert.deepEqual(
      keys.map(({ scope, email, revokedAt }) => ({ scope, email, revokedAt })),
      [
        { scope: "files_read", email: "a@example.org", revokedAt: null },
        { scope: "full", email: "a@example.org", revokedAt: null },
      ],
    );
  });

  it("is revoked by ID or prefix, also repeatedly", async () => {
    await using folder = await makeDataFolder();
    await runJson(["users", "create", "--email", "a@example.org", "--name", "A"], folder.env);
    const [first, second, third] = [1, 2, 3].map(() => runJson<CreatedKey>(["keys", "create", "--user", "a@example.org"], folder.env));
    const keys = [await first, await second, await third] as CreatedKey[];
    const revoked = await runJson<{ revokedAt: string }>(["keys", "revoke", keys[0]?.id ?? "", "--yes"], folder.env);
    assert.deepEqual(await runJson(["keys", "revoke", keys[0]?.prefix ?? "", "--yes"], folder.env), {
      id: keys[0]?.id,
      prefix: keys[0]?.prefix,
      ...revoked,
    });
    await runJson(["keys", "revoke", keys[1]?.key ?? "", "--yes"], folder.env);
    const list = await runJson<AdminKeyView[]>(["keys", "list"], folder.env);
    const live = list.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id);
    assert.deepEqual(live, [keys[2]?.id]);
    assert.match((await run(["keys", "list"], folder.env)).stdout, / revoked\n/);
    assert.equal((await run(["keys", "revoke", "bc_nobody00", "--yes"], folder.env)).code, 4);
  });

  it("is not created for a disabled account", async () => {
    await using folder = await makeDataFolder();
    await runJson(["users", "create", "--email", "a@example.org", "--name", "A"], folder.env);
    assert.notEqual((await runJson<AccountDetails>(["users", "disable", "a@example.org"], folder.env)).disabledAt, null);
    const refused = await run(["keys", "create", "--user", "a@example.org"], folder.env);
    assert.equal(refused.code, 6);
    assert.match(refused.stderr, /disabled/);
    assert.equal((await runJson<AccountDetails>(["users", "enable", "a@example.org"], folder.env)).disabledAt, null);
    await runJson(["keys", "create", "--user", "a@example.org"], folder.env);
  });
});
