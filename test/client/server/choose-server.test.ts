import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { chooseServer, type ServerOptions } from "../../../src/client/server/choose-server.ts";
import { openProfiles } from "../../../src/client/sign-in/profiles.ts";
import { makeFolder, type TestFolder } from "../../support/folder.ts";

const [WORK, HOME, OTHER] = ["https://work.example", "https://home.example", "https://other.example"] as const;

interface Case {
  readonly options?: ServerOptions;
  readonly env?: Readonly<Record<string, string>>;
  readonly link?: string;
}

/** The server, and whose key it gets: `profile NAME`, a key, or none. */
type Expected = readonly [url: string | undefined, key: string | undefined];

/** client, "Which server and key" and "Profiles". */
describe("choosing the server and the key", () => {
  async function prepare(folder: TestFolder): Promise<Record<string, string>> {
    const env = { XDG_CONFIG_HOME: folder.path };
    const profiles = openProfiles(env);
    await profiles.save("work", { server: WORK, siteUrl: "https://site.work.example", signIn: "key", secret: "file" });
    await profiles.save("home", { server: HOME, signIn: "key", secret: "file" });
    await writeFile(join(folder.path, "key"), "bc_file\n", { mode: 0o600 });
    return env;
  }

  const env = (change: Readonly<Record<string, string>>) => ({ env: change });
  const cases: readonly (readonly [title: string, given: Case, expected: Expected])[] = [
    ["the default profile", {}, [WORK, "profile work"]],
    ["the profile of --profile", { options: { profile: "home" } }, [HOME, "profile home"]],
    ["the profile of FILEHOST_PROFILE", env({ FILEHOST_PROFILE: "home" }), [HOME, "profile home"]],
    ["FILEHOST_SERVER before the profile, without its key", env({ FILEHOST_SERVER: OTHER }), [OTHER, undefined]],
    ["FILEHOST_KEY before the key of the profile", env({ FILEHOST_KEY: "bc_env" }), [WORK, "bc_env"]],
    [
      "--profile before the environment",
      { options: { profile: "home" }, ...env({ FILEHOST_SERVER: OTHER, FILEHOST_KEY: "bc_env" }) },
      [HOME, "profile home"],
    ],
    ["--url of a profile's server with that profile's key", { options: { url: `${HOME}/` } }, [HOME, "profile home"]],
    ["--url of the API of a profile's server", { options: { url: `${HOME}/api` } }, [`${HOME}/api`, "profile home"]],
    ["--url of another server without a profile's key", { options: { url: OTHER } }, [OTHER, undefined]],
    ["--url of another server than the profile of --profile", { options: { url: HOME, profile: "work" } }, [HOME, undefined]],
    ["--url with FILEHOST_KEY, which names no server", { options: { url: OTHER }, ...env({ FILEHOST_KEY: "bc_env" }) }, [OTHER, "bc_env"]],
    [
      "--url of another server than FILEHOST_SERVER, without FILEHOST_KEY",
      { options: { url: OTHER }, ...env({ FILEHOST_KEY: "bc_env", FILEHOST_SERVER: "https://env.example" }) },
      [OTHER, undefined],
    ],
    ["a link of the default profile", { link: WORK }, [WORK, "profile work"]],
    ["a link of the site of a profile, which is reached at its own address", { link: "https://site.work.example" }, [WORK, "profile work"]],
    [
      "--url of the site that a profile's server names, without the profile's key",
      { options: { url: "https://site.work.example" } },
      ["https://site.work.example", undefined],
    ],
    [
      "a key that is named for the server of a link, never at the server that claims that link",
      { link: "https://site.work.example", ...env({ FILEHOST_SERVER: "https://site.work.example", FILEHOST_KEY: "bc_env" }) },
      ["https://site.work.example", "bc_env"],
    ],
    [
      "--key-file with a link, never at the server that claims that link",
      { link: "https://site.work.example", options: { "key-file": "key" } },
      ["https://site.work.example", "bc_file"],
    ],
    ["a link of another profile", { link: HOME }, [HOME, "profile home"]],
    ["a link of an unknown server, without any key", { link: OTHER, ...env({ FILEHOST_KEY: "bc_env" }) }, [OTHER, undefined]],
    [
      "a link of another server than --url, without --key-file",
      { link: OTHER, options: { url: WORK, "key-file": "key" } },
      [OTHER, undefined],
    ],
    [
      "a link of FILEHOST_SERVER with FILEHOST_KEY",
      { link: OTHER, ...env({ FILEHOST_KEY: "bc_env", FILEHOST_SERVER: OTHER }) },
      [OTHER, "bc_env"],
    ],
    ["a link of the same host, but another scheme", { link: "http://work.example" }, ["http://work.example", undefined]],
    ["a link of the same host, but another path", { link: `${WORK}/elsewhere` }, [`${WORK}/elsewhere`, undefined]],
    ["--key-file before all others", { options: { "key-file": "key" }, ...env({ FILEHOST_KEY: "bc_env" }) }, [WORK, "bc_file"]],
  ];
  for (const [title, { options = {}, env = {}, link }, expected] of cases)
    test(title, async () => {
      await using folder = await makeFolder();
      const all = { ...(await prepare(folder)), ...env };
      const named = options["key-file"] === undefined ? options : { ...options, "key-file": join(folder.path, options["key-file"]) };
      const chosen = await chooseServer({ options: named, env: all, linkServer: link });
      assert.deepEqual([chosen?.url, chosen?.key ?? (chosen?.profile && `profile ${chosen.profile.name}`)], expected);
    });

  test("a server that claims the links of another filehost gets none of them, unless its profile is requested", async () => {
    await using folder = await makeFolder();
    const env = { XDG_CONFIG_HOME: folder.path };
    await using honest = await startAnnouncing((url) => ({ siteUrl: url, apiBaseUrl: `${url}/api` }));
    const claim = { server: OTHER, siteUrl: honest.url, signIn: "key", secret: "file" } as const;
    await openProfiles(env).save("hostile", claim);
    assert.deepEqual(await chooseServer({ options: {}, env, linkServer: honest.url }), {
      url: honest.url,
      profile: undefined,
      namedBy: "link",
    });
    const asked = await chooseServer({ options: { profile: "hostile" }, env, linkServer: honest.url });
    assert.equal(asked?.url, OTHER);
    // A site whose API has another name says so.
    await using split = await startAnnouncing((url) => ({ siteUrl: url, apiBaseUrl: `${OTHER}/api` }));
    await openProfiles(env).save("split", { ...claim, siteUrl: split.url });
    assert.equal((await chooseServer({ options: {}, env, linkServer: split.url }))?.url, OTHER);
  });

  test("a missing server, an unknown profile and a file that is open to others are errors", async () => {
    await using folder = await makeFolder();
    assert.equal(await chooseServer({ options: {}, env: { XDG_CONFIG_HOME: folder.path } }), undefined);
    const env = await prepare(folder);
    await assert.rejects(chooseServer({ options: { profile: "nobody" }, env }), /There are: work, home\./);
    await assert.rejects(chooseServer({ options: { url: "https://a:b@c.example" }, env }), /has a name or a password/);
    await assert.rejects(chooseServer({ options: { url: "files" }, env }), /Write it like/);
    await chmod(join(folder.path, "filehost", "config.json"), 0o644);
    await assert.rejects(chooseServer({ options: {}, env }), /is open to other users.*chmod 600/);
  });

  test("the file of profiles is not read if the server and the key are named", async () => {
    await using folder = await makeFolder();
    const own = await prepare(folder);
    await writeFile(join(folder.path, "filehost", "config.json"), "damaged");
    const keyFile = join(folder.path, "key");
    const whole: readonly Case[] = [
      { env: { FILEHOST_SERVER: OTHER, FILEHOST_KEY: "bc_file" } },
      { env: { FILEHOST_SERVER: OTHER, FILEHOST_KEY_FILE: keyFile } },
      { options: { url: OTHER, "key-file": keyFile } },
      { options: { url: OTHER }, env: { FILEHOST_KEY: "bc_file" } },
      { link: OTHER, env: { FILEHOST_SERVER: OTHER, FILEHOST_KEY: "bc_file" } },
      { link: OTHER, options: { "key-file": keyFile } },
    ];
    for (const { options = {}, env = {}, link } of whole) {
      const chosen = await chooseServer({ options, env: { ...own, ...env }, linkServer: link });
      assert.deepEqual([chosen?.url, chosen?.key], [OTHER, "bc_file"]);
    }
    for (const { options = {}, env = {} } of [
      { options: { profile: "work" }, env: { FILEHOST_SERVER: OTHER, FILEHOST_KEY: "bc_file" } },
      { env: { FILEHOST_SERVER: OTHER } },
      { env: { FILEHOST_KEY: "bc_file" } },
    ])
      await assert.rejects(chooseServer({ options, env: { ...own, ...env } }), /has no profiles that this version knows/);
  });

  test("an endless file is refused as the file of a key", async () => {
    await assert.rejects(chooseServer({ options: { url: OTHER, "key-file": "/dev/zero" }, env: {} }), /more than 1 MB/);
  });
});

/** A server that has the capabilities of a filehost, and nothing else. */
async function startAnnouncing(
  describeUrls: (url: string) => { readonly siteUrl: string; readonly apiBaseUrl: string },
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ service: "filehost", ...describeUrls(url) }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
