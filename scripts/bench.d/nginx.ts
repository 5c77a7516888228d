import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "./bench.ts";
import { findFreePort, waitUntilResponds } from "./ports.ts";

export interface Nginx {
  readonly url: string;
  /** The folder that nginx serves at `/`, and to which it writes PUTs. */
  readonly folder: string;
}

const DAV_MODULE = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so";

/** The reason why nginx cannot be a complete WebDAV server here; false if it can. */
export const webDavMissing: string | false = existsSync(DAV_MODULE) ? false : "Debian's libnginx-mod-http-dav-ext is not installed";

/**
 * Starts nginx on the servers' core with an empty folder. The stack stops it. With `webDav`, it also lists and makes folders, for clients of WebDAV.
 */
export async function startNginx(bench: Bench, stack: AsyncDisposableStack, { webDav = false } = {}): Promise<Nginx> {
  const home = join(bench.dir, webDav ? "nginx-webdav" : "nginx");
  const folder = join(home, "files");
  await mkdir(join(home, "temp"), { recursive: true });
  await mkdir(folder, { recursive: true });
  const port = await findFreePort();
  const configPath = join(home, "nginx.conf");
  await writeFile(configPath, configuration(home, folder, port, webDav));
  const server = bench.processes.start({
    command: "/usr/sbin/nginx",
    args: ["-p", home, "-c", configPath, "-e", join(home, "error.log")],
    core: bench.cores.server,
    logPath: join(home, "output.log"),
  });
  stack.defer(() => server.stop());
  const url = `http://127.0.0.1:${port}`;
  await waitUntilResponds(`${url}/`, server);
  return { url, folder };
}

function configuration(home: string, folder: string, port: number, webDav: boolean): string {
  const temporary = (kind: string) => `  ${kind}_temp_path ${join(home, "temp", kind)};\n`;
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  return `${webDav ? `load_module ${DAV_MODULE};\n` : ""}${user}worker_processes 1;
daemon off;
pid ${join(home, "nginx.pid")};
events { worker_connections 512; }
http {
  sendfile on;
  tcp_nopush on;
  access_log off;
  default_type application/octet-stream;
  keepalive_requests 100000000;
  client_max_body_size 0;
${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(temporary).join("")}  server {
    listen 127.0.0.1:${port};
    root ${folder};
    location / {
      dav_methods PUT${webDav ? " DELETE MKCOL COPY MOVE;\n      dav_ext_methods PROPFIND OPTIONS" : ""};
      create_full_put_path on;
    }
  }
}
`;
}
