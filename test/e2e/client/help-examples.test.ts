import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { loadGroups } from "../../../src/cli/command.ts";
import { commandGroups } from "../../../src/cli/commands.ts";
import { type Origin, sendFile, startOrigin } from "../../support/origin-server.ts";
import type { TestServer } from "../../support/server.ts";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp-server.ts";
import { startStripe, type TestStripe } from "../../support/stripe.ts";
import { joinSwift, s3Settings, swiftMissing, type TestSwift } from "../../support/swift.ts";
import { startTerminal, type TestTerminal } from "../../support/terminal.ts";
import { addAccount } from "../support/accounts.ts";
import { siteOf } from "../support/client-device.ts";
import { makeReader } from "../support/documented-blocks.ts";
import { FILES, SETUPS, type Stage } from "../support/example-setups.ts";
import { startImportingServer } from "../support/imports.ts";
import { addSeller, type TestSeller } from "../support/selling.ts";

const commands = (await loadGroups(commandGroups)).flatMap((group) => group.commands);

/** command line, "Help": examples run as they are, where what they name exists. */
describe("an example in the help of a command", () => {
  let stripe: TestStripe;
  let swift: TestSwift | undefined;
  let smtp: TestSmtpServer;
  let server: TestServer;
  let seller: TestSeller;
  let origin: Origin;
  before(async () => {
    swift = swiftMissing === undefined ? await joinSwift() : undefined;
    stripe = await startStripe();
    smtp = await startSmtpServer();
    origin = await startOrigin({
      "/a": sendFile({ bytes: randomBytes(1000) }),
      "/slow": sendFile({ bytes: randomBytes(1000), stallAfter: () => 600 }),
    });
    server = await startImportingServer({
      ...stripe.env,
      ...smtp.env,
      FILEHOST_SELLING_FEE: "5%+30",
      FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
    });
    stripe.sendEventsTo(`${server.url}/api/stripe/webhook`);
    seller = await addSeller(server, stripe);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await origin?.[Symbol.asyncDispose]();
    await smtp?.stop();
    await stripe?.[Symbol.asyncDispose]();
  });

  it("is of a command whose examples this test can set up", () => {
    assert.deepEqual(Object.keys(SETUPS).toSorted(), commands.map(({ name }) => name).toSorted());
  });

  for (const { name, examples, settings } of commands)
    for (const example of examples)
      it(`runs: ${example}`, { skip: name === "storage copy" ? swiftMissing : undefined }, async () => {
        await using device = await makeReader(FILES);
        const [owner, otherAccount] = [await addAccount(server), await addAccount(server)];
        const urls = { remoteUrl: `${origin.url}/a`, slowUrl: `${origin.url}/slow`, hookUrl: "http://127.0.0.1:1/" };
        const bucketSettings = name === "storage copy" ? swift && s3Settings(swift, await swift.createBucket()) : undefined;
        const stage: Stage = { bucketSettings, server, device, stripe, seller, owner, otherAccount, administrator: otherAccount, ...urls };
        const setup = await (SETUPS[name] ?? assert.fail(name))(stage, example);
        const caller = settings.length === 0 ? { FILEHOST_SERVER: siteOf(server), FILEHOST_KEY: owner.key } : ofServer(server);
        const env = { ...device.env, ...caller, PATH: `${join(device.path, "bin")}:${device.env.PATH}`, ...setup.env };
        const program = [
          "bash",
          "--norc",
          "-uo",
          "pipefail",
          "-c",
          fill(example, { "https://files.example.org": siteOf(server), ...setup.values }),
        ];
        await using terminal = startTerminal([], { cwd: device.path, env, program, columns: 200 });
        await (setup.during ?? answerQuestions)(terminal);
        assert.equal(await terminal.ended(), setup.code ?? 0, terminal.screen());
      });
});

const ofServer = ({ env }: TestServer): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("FILEHOST_") && name !== "FILEHOST_LOG"));

const fill = (example: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), example);

/** Says yes to questions, until the command ends. */
async function answerQuestions(terminal: TestTerminal): Promise<void> {
  while (await terminal.waitFor("[y/N] ").catch(() => undefined)) terminal.type("y\r");
}
