import { toCallable } from "../../doctor/addresses.ts";
import { AppError } from "../../errors.ts";
import { defineCommand } from "../command.ts";

const TIMEOUT_MS = 3_000;

export const health = defineCommand({
  details:
    "Exit code: 0 if it responds, 8 if it does not. Use it as a container's health check; /health of the server reports the state of the server's parts.",
  settings: ["LISTEN"],
  examples: ["filehost health", "filehost health --listen 127.0.0.1:9000"],
  async run({ load }) {
    const { hostname, port } = (await load()).config.listen;
    if (port === 0)
      throw new AppError(
        "VALIDATION_FAILED",
        "Port 0 is not the port of a running server. Set the port that it listens on, such as --listen 127.0.0.1:8080.",
      );
    const url = `http://${toCallable(hostname)}:${port}`;
    const status = await requestStatus(`${url}/health/live`);
    if (status !== 200) throw new AppError("UNAVAILABLE", `The server at ${url} is unhealthy: it responded with status ${status}.`);
    return { data: { status: "ok", url }, text: `The server at ${url} is running.\n` };
  },
});

async function requestStatus(url: string): Promise<number> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" })).status;
  } catch (error) {
    throw new AppError("UNAVAILABLE", `No server responds at ${new URL(url).origin}. Start it with: filehost serve`, { cause: error });
  }
}
