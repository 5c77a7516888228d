import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ServerInstances } from "../servers/server-instances.ts";

/** Returns the nginx configuration of docs/deploy.md, "Several servers", with the addresses of these server instances. */
export async function documentedConfiguration(instances: ServerInstances): Promise<string> {
  const text = await readFile(resolve(import.meta.dirname, "../../../../docs/deploy.md"), "utf8");
  const [site = "", upstream = ""] = [...text.matchAll(/^```nginx\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  assert.match(upstream, /^upstream filehost \{\n( {2}server 10\.0\.0\.1[12]:8080;\n){2}[^}]*\}\n$/);
  const servers = instances.all.map(({ url }) => `  server ${new URL(url).host};\n`).join("");
  return site
    .replace(/^upstream filehost \{[^}]*\}\n/, upstream.replace(/( {2}server .*\n)+/, servers))
    .replace("server_name files.example.org;", "server_name files.example.org; listen 127.0.0.1:PORT;");
}
