import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Command } from "../../../../src/cli/command.ts";
import { startTerminal, type TestTerminal } from "../../../support/machine/terminal.ts";
import type { TestServer } from "../../../support/server.ts";
import { sendFile, startOrigin } from "../../../support/services/origin-server.ts";
import { startSmtpServer } from "../../../support/services/smtp-server.ts";
import { startStripe } from "../../../support/services/stripe.ts";
import { joinSwift, s3Settings, swiftMissing } from "../../../support/services/swift.ts";
import { addAccount } from "../accounts/accounts.ts";
import { type ClientDevice, siteOf } from "../client/client-device.ts";
import { startImportingServer } from "../shares/imports.ts";
import { addSeller } from "../shares/selling.ts";
import { makeReader } from "./documented-blocks.ts";
import { FILES, SETUPS, type Stage } from "./example-setups.ts";

/** The password of `--password`, which otherwise asks for it. */
const SHARE_PASSWORD = "correct horse battery";

/** Runs examples of help on a terminal, where what they name exists. */
export interface ExampleRunner extends AsyncDisposable {
  /** Runs an example to its end, and asserts its exit code. `edit` changes the command line; `read` reads what it has left on the device. */
  run<T>(command: Command, example: string, options?: RunExample<T>): Promise<T | undefined>;
}

interface RunExample<T> {
  edit?(line: string): string;
  read?(device: ClientDevice): Promise<T>;
}

/** The reason why the examples of a command cannot run; undefined if they can. */
export const exampleMissing = (name: string): string | undefined => (name === "storage copy" ? swiftMissing : undefined);

export async function startExampleRunner(): Promise<ExampleRunner> {
  await using started = new AsyncDisposableStack();
  const swift = swiftMissing === undefined ? await joinSwift() : undefined;
  const stripe = started.use(await startStripe());
  const smtp = await startSmtpServer();
  started.defer(() => smtp.stop());
  const origin = started.use(
    await startOrigin({
      "/a": sendFile({ bytes: randomBytes(1000) }),
      "/slow": sendFile({ bytes: randomBytes(1000), stallAfter: () => 600 }),
    }),
  );
  const server = started.use(
    await startImportingServer({ ...stripe.env, ...smtp.env, FILEHOST_SELLING_FEE: "5%+30", FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" }),
  );
  stripe.sendEventsTo(`${server.url}/api/stripe/webhook`);
  const seller = await addSeller(server, stripe);
  const stack = started.move();
  return {
    async run({ name, settings }, example, { edit = (line: string): string => line, read } = {}) {
      await using device = await makeReader(FILES);
      const [owner, otherAccount] = [await addAccount(server), await addAccount(server)];
      const urls = { remoteUrl: `${origin.url}/a`, slowUrl: `${origin.url}/slow`, hookUrl: "http://127.0.0.1:1/" };
      const bucketSettings = name === "storage copy" ? swift && s3Settings(swift, await swift.createBucket()) : undefined;
      const stage: Stage = { bucketSettings, server, device, stripe, seller, owner, otherAccount, administrator: otherAccount, ...urls };
      const setup = await (SETUPS[name] ?? assert.fail(name))(stage, example);
      const caller =
        settings.length === 0
          ? { FILEHOST_SERVER: siteOf(server), FILEHOST_KEY: owner.key, FILEHOST_SHARE_PASSWORD: SHARE_PASSWORD }
          : ofServer(server);
      const env = { ...device.env, ...caller, PATH: `${join(device.path, "bin")}:${device.env.PATH}`, ...setup.env };
      const line = fill(edit(example), { "https://files.example.org": siteOf(server), ...setup.values });
      const program = ["bash", "--norc", "-uo", "pipefail", "-c", line];
      await using terminal = startTerminal([], { cwd: device.path, env, program, columns: 200 });
      await (setup.during ?? answerQuestions)(terminal);
      assert.equal(await terminal.ended(), setup.code ?? 0, terminal.screen());
      return await read?.(device);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const ofServer = ({ env }: TestServer): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("FILEHOST_") && name !== "FILEHOST_LOG"));

const fill = (example: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), example);

/** Says yes to questions, until the command ends. */
async function answerQuestions(terminal: TestTerminal): Promise<void> {
  while (await terminal.waitFor("[y/N] ").catch(() => undefined)) terminal.type("y\r");
}
