import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservePort } from "../network/free-ports.ts";
import { until } from "../until.ts";

/** The reason why suites that need nginx are skipped; undefined if it is installed. */
export const nginxMissing: string | undefined =
  spawnSync("nginx", ["-v"], { env: searchPath() }).status === 0 ? undefined : "nginx is not installed (Debian: nginx-light)";

export interface TestNginx extends AsyncDisposable {
  readonly url: string;
}

/** Starts nginx with the given content of its `http` block, in which `PORT` stands for the port to listen on. */
export async function startNginx(http: string): Promise<TestNginx> {
  const folder = await mkdtemp(join(tmpdir(), "nginx-"));
  // The workers run as another user, and write large bodies to the folder.
  await chmod(folder, 0o755);
  const port = await reservePort();
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/pid; error_log ${folder}/errors; worker_processes 1; events { worker_connections 512; }
http { access_log off; ${paths}
${http.replaceAll("PORT", String(port))} }`,
  );
  const child = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "errors")], {
    env: searchPath(),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const dispose = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await until("nginx responds", () => fetch(url).then((response) => response.body?.cancel().then(() => true) ?? true));
  } catch (error) {
    await dispose();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: dispose };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Adds `/usr/sbin` to PATH. Debian installs nginx there, and only root's PATH has it. */
function searchPath(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin` };
}
