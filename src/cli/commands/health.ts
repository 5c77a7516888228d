import { toCallable } from "../../doctor/hosts.ts";
import { AppError } from "../../errors.ts";
import { defineCommand } from "../command.ts";

const TIMEOUT_MS = 3_000;

export const health = defineCommand({
  name: "health",
  summary: "Ask the server on this machine whether it is alive",
  details:
    "Exit code 0 where it is, 8 where it does not answer: made for a container's health check. The server's GET /health tells how its parts are.",
  settings: ["LISTEN"],
  examples: ["filehost health", "filehost health --listen 127.0.0.1:9000"],
  async run({ load }) {
    const { hostname, port } = load().config.listen;
    if (port === 0)
      throw new AppError("VALIDATION_FAILED", "Port 0 names no server. Give the port that it listens on, such as --listen 127.0.0.1:8080.");
    const url = `http://${toCallable(hostname)}:${port}`;
    const status = await ask(`${url}/health/live`);
    if (status !== 200) throw new AppError("UNAVAILABLE", `What listens at ${url} is not well: it answered ${status}.`);
    return { data: { status: "ok", url }, text: `The server at ${url} is alive.\n` };
  },
});

async function ask(url: string): Promise<number> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" })).status;
  } catch (error) {
    throw new AppError("UNAVAILABLE", `No server answers at ${new URL(url).origin}.`, { cause: error });
  }
}
