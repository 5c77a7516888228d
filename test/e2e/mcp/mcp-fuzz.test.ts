import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { ERRORS } from "../../../src/errors.ts";
import { TOOLS } from "../../../src/mcp/tools.ts";
import { longSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { upload } from "../support/api/api.ts";
import { type KnownValues, PRIVATE_URLS, type Schema, toArguments } from "../support/api/json-values.ts";
import { callTool, connectMcp, ERAS, type Era, postMessage, readMessage, toAnswer, toolMessage } from "../support/api/mcp.ts";
import { changedRows, readRows } from "../support/servers/rows.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";

/** FUZZ_SEED repeats a run of another seed, FUZZ_RUNS the number of calls of each tool. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_123);
const RUNS = Number(process.env.FUZZ_RUNS ?? (longSkipped === undefined ? 30 : 10));

interface DescribedTool {
  readonly name: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema | undefined;
}

/** mcp, "Tools": whatever the arguments are, the answer is one of the protocol, and a refused call leaves nothing behind. */
describe(`tools of MCP with generated arguments, seed ${SEED}`, () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  let server: TestServer;
  let key: string;
  let tools: readonly DescribedTool[];
  let known: KnownValues;
  before(async () => {
    server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "off" } });
    await holdScheduledCleanup(server);
    ({ key } = await addAccount(server));
    await using member = await connectMcp(server, { era: "no session", key });
    tools = (await member.client.listTools()).tools as readonly DescribedTool[];
    assert.equal(tools.length, TOOLS.length);
    const { data: folder } = await callTool(member, "folders", { action: "create", name: "Fuzz" });
    const [{ id: folderId } = { id: "" }] = folder.folders as { id: string }[];
    const uploaded = await Promise.all([1, 2, 3].map(() => upload(server, {}, { key })));
    const fileIds = uploaded.map(({ id }) => id);
    const shortIds = uploaded.map(({ shortId }) => shortId);
    const visitor = await upload(server, {});
    known = {
      ...{
        fileId: [...fileIds, visitor.id],
        shortId: shortIds,
        file_code: shortIds,
        folderId: [folderId],
        parentId: [folderId],
        id: [folderId],
      },
      ...{
        claimToken: [visitor.claimToken ?? ""],
        token: [visitor.deletionToken ?? ""],
        contentBase64: ["aGVsbG8="],
        fileName: ["a.txt"],
        url: PRIVATE_URLS,
      },
    };
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  /** Calls a tool, and resolves to whether it was refused. */
  async function check(era: Era, { name, outputSchema = {} }: DescribedTool, args: string, caller: Caller): Promise<boolean> {
    const message = toolMessage(era, name.replace("service_", ""), {});
    const body = JSON.stringify(message).replace('"arguments":{}', () => `"arguments":${args}`);
    const response = await postMessage(server, { era, message, body, ...caller });
    const text = await response.text();
    const seen = `${name} ${args.slice(0, 1000)}: ${response.status} ${text.slice(0, 1000)}`;
    assert.ok([200, 400].includes(response.status), seen);
    const { jsonrpc, id, result, error } = readMessage(text);
    assert.deepEqual([jsonrpc, id, (result === undefined) !== (error === undefined)], ["2.0", 1, true], seen);
    // Invalid parameters: the arguments are no object.
    if (error) assert.equal(error.code, -32602, seen);
    if (!result) return true;
    const { isError, data } = toAnswer(result);
    if (isError) {
      assert.ok(data.errorCode !== "INTERNAL" && String(data.errorCode) in ERRORS, seen);
      return true;
    }
    const matches = ajv.compile(outputSchema);
    assert.ok(matches(result.structuredContent), `${seen} ${ajv.errorsText(matches.errors)}`);
    return false;
  }

  interface Caller {
    readonly path?: string;
    readonly key?: string;
  }

  interface Fuzzed {
    readonly name: string;
    /** Fields that are sent although the schema does not require them. */
    readonly required?: readonly string[];
  }

  async function fuzz({ name, required = [] }: Fuzzed, caller: Caller): Promise<void> {
    const tool = tools.find((one) => one.name === `service_${name}`);
    assert.ok(tool, name);
    const schema = { ...tool.inputSchema, required: [...((tool.inputSchema.required ?? []) as string[]), ...required] };
    const linesBefore = server.logs().length;
    let before = await readRows(server);
    const era = fc.constantFrom(...(Object.keys(ERAS) as Era[]));
    await fc.assert(
      fc.asyncProperty(era, toArguments(schema, known), async (era, args) => {
        const isRefused = await check(era, tool, args, caller);
        const after = await readRows(server);
        if (isRefused) assert.deepEqual(changedRows(before, after), [], `${name} ${args.slice(0, 1000)}`);
        before = after;
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
    const errors = server
      .logs()
      .slice(linesBefore)
      .filter(({ level }) => level === "error" || Number(level) >= 50);
    assert.deepEqual(errors, []);
  }

  const FUZZED: readonly Fuzzed[] = [
    { name: "upload", required: ["contentBase64", "fileName"] },
    { name: "upload", required: ["url"] },
    ...["upload_status", "create_upload_delegation", "get_download_url", "file_info", "list_files", "folders"].map((name) => ({ name })),
    { name: "update_share_settings", required: ["shortId"] },
    ...["update_share_settings", "share_again", "claim_file", "delete_file", "register_agent", "search_tools"].map((name) => ({ name })),
    ...["create_checkout", "purchase_checkout", "purchase_claim", "connect"].map((name) => ({ name })),
  ];
  // Registering does a proof of work each time.
  const isForGuests = ({ name }: Fuzzed): boolean => /^upload|^search|checkout$|^purchase/.test(name);
  const titleOf = ({ name, required = [] }: Fuzzed): string => [name, ...required].join(" ");

  for (const one of FUZZED) test(`${titleOf(one)} with a key`, () => fuzz(one, { key }));
  for (const one of FUZZED.filter(isForGuests)) test(`${titleOf(one)} as a guest`, () => fuzz(one, { path: "/mcp/guest" }));
});
