import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { describeUnless } from "../../support/suite.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const TOOLS = join(ROOT, ".tools");
const [python] = globSync("openapi-python-client-*/bin", { cwd: TOOLS }).map((name) => join(TOOLS, name));
const typescript = join(TOOLS, "openapi-typescript/node_modules");

const execute = promisify(execFile);

/** What a program of a generated client found. */
interface Found {
  readonly shortId: string;
  readonly names: readonly string[];
  readonly text: string;
  readonly refusal: string;
  readonly remaining: number;
}

const PYTHON = `
import io, json, sys, datetime, httpx
from client import AuthenticatedClient
from client.api.shares import authorize_download
from client.api.folders import create_folder
from client.api.listing import list_files
from client.api.ownership import update_share_settings
from client.api.upload import upload_file
from client.models.create_folder_body import CreateFolderBody
from client.models.error import Error
from client.models.update_share_settings_body import UpdateShareSettingsBody
from client.models.upload_file_body import UploadFileBody
from client.types import File

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url + "/api", token=key)
folder = create_folder.sync(client=client, body=CreateFolderBody(name="Reports"))
content = File(payload=io.BytesIO(b"of a generated client"), file_name="note.txt", mime_type="text/plain")
body = UploadFileBody(file=content, protect=False, max_downloads=3, ttl="1h", folder_id=folder.data.id)
sent = upload_file.sync(client=client, body=body).data
changed = update_share_settings.sync(client=client, body=UpdateShareSettingsBody(short_id=sent.short_id, direct=None, once=True))
listed = list_files.sync(client=client, limit=10).data.files
granted = authorize_download.sync(sent.id, client=client)
refusal = authorize_download.sync("0000000000000000", client=client)
assert isinstance(refusal, Error) and isinstance(sent.created_at, datetime.datetime)
text = httpx.get(granted.url).text
print(json.dumps({"shortId": sent.short_id, "names": [each.name for each in listed], "text": text, "refusal": refusal.error_code, "remaining": changed.data.max_downloads}))
`;

const TYPESCRIPT = `
import createClient from "openapi-fetch";
import type { paths } from "./schema";

const [url = "", key = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url + "/api", headers: { Authorization: "Bearer " + key } });
const required = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error("The server refused it.");
  return value;
};
const folder = required((await client.POST("/folders", { body: { name: "Reports of TypeScript" } })).data);
const uploaded = await client.POST("/files/upload", {
  body: { file: "of a generated client", protect: false, maxDownloads: 3, ttl: "1h", folderId: folder.data.id },
  bodySerializer: ({ file, ...fields }) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set("file", new Blob([file]), "note.txt");
    return form;
  },
});
const sent = required(uploaded.data).data;
const changed = required((await client.PATCH("/files/share-settings", { body: { shortId: sent.shortId, once: true } })).data);
const page = required((await client.GET("/files/list", { params: { query: { limit: 10 } } })).data);
const names = "files" in page.data ? page.data.files.map(({ name }) => name) : [];
const granted = required((await client.GET("/files/download/{fileId}", { params: { path: { fileId: sent.id } } })).data);
const { error } = await client.GET("/files/download/{fileId}", { params: { path: { fileId: "0000000000000000" } } });
const text = await (await fetch(required(granted.url))).text();
const found = { shortId: sent.shortId, names, text, refusal: required(error).errorCode, remaining: changed.data.maxDownloads };
console.log(JSON.stringify(found));
`;

/** openapi, "Generators of clients" */
describeUnless(
  python && existsSync(typescript) ? undefined : "the generators are not installed (scripts/test does it)",
  "a client that is generated from the OpenAPI document",
  () => {
    let server: ServerWith<"me">;
    let folder: TestFolder;
    const run = async (program: string, args: readonly string[]) =>
      await execute(program, args, { cwd: folder.path, env: { ...process.env, PATH: `${python}:${process.env.PATH}` } });
    const assertFound = async (output: string): Promise<void> => {
      const { shortId, ...found } = JSON.parse(output) as Found;
      assert.match(shortId, /^\w{8}$/);
      assert.deepEqual(found, {
        names: [...found.names.slice(0, -1), "note.txt"],
        text: "of a generated client",
        refusal: "NOT_FOUND",
        remaining: 1,
      });
    };

    before(async () => {
      server = await withAccounts(startPlainServer(), { me: {} });
      folder = await makeFolder();
      await writeFile(join(folder.path, "openapi.json"), await (await fetch(`${server.url}/agent-openapi.json`)).text());
    });
    after(async () => {
      await folder[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    });

    test("a generated client in Python uploads, changes, lists and downloads, and reads errors", async () => {
      const { stderr } = await run("openapi-python-client", [
        "generate",
        "--path",
        "openapi.json",
        "--output-path",
        "client",
        "--meta",
        "none",
      ]);
      // Routes that send a ZIP have no type in this generator; all others have one.
      assert.deepEqual(
        [...new Set([...stderr.matchAll(/^(?:WARNING|ERROR) parsing (.*?) within/gm)].map(([, route]) => route))],
        ["GET /ar/{archive}", "GET /ar/own/{archive}"],
      );
      await writeFile(join(folder.path, "program.py"), PYTHON);
      await assertFound((await run(join(python ?? "", "python"), ["program.py", server.url, server.me.key])).stdout);
    });

    test("a generated client in TypeScript uploads, changes, lists and downloads, and reads errors, with matching types", async () => {
      await run(join(typescript, ".bin/openapi-typescript"), ["openapi.json", "--output", "schema.d.ts"]);
      await symlink(typescript, join(folder.path, "node_modules"));
      await writeFile(join(folder.path, "program.ts"), TYPESCRIPT);
      const options = {
        module: "preserve",
        target: "esnext",
        lib: ["esnext", "dom", "dom.iterable"],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
      };
      await writeFile(join(folder.path, "process.d.ts"), "declare const process: { readonly argv: string[] };\n");
      await writeFile(
        join(folder.path, "tsconfig.json"),
        JSON.stringify({ compilerOptions: options, files: ["program.ts", "process.d.ts"] }),
      );
      await run(join(typescript, ".bin/tsc"), ["--project", "."]);
      await assertFound((await run(process.execPath, ["program.ts", server.url, server.me.key])).stdout);
    });
  },
);
