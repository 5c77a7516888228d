import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservePorts } from "../network/free-ports.ts";
import { until } from "../until.ts";
import { joinShared } from "./shared-process.ts";

const PROGRAMS = ["swift-proxy-server", "swift-account-server", "swift-container-server", "swift-object-server"];

/** The reason why suites that need an S3-compatible store are skipped; undefined if OpenStack Swift is installed. */
export const swiftMissing: string | undefined = [...PROGRAMS, "memcached"].every((name) => spawnSync("which", [name]).status === 0)
  ? undefined
  : "OpenStack Swift is not installed (Debian: swift-proxy swift-account swift-container swift-object memcached)";

export interface TestSwift {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Creates an empty bucket and resolves to its name. With `forPages`, pages of `PAGE_ORIGIN` may use its presigned URLs. */
  createBucket(options?: { readonly forPages?: boolean }): Promise<string>;
  /** Lists the names of the objects that contain the parts of a bucket's uploads, completed or not, because the S3 interface does not list them. */
  segmentsOf(bucket: string): Promise<string[]>;
}

/** The origin of pages that may use presigned URLs of a bucket. */
export const PAGE_ORIGIN = "http://localhost:8080";

/** The name of the user, from `id`: under Bun, `node:os` returns the name in the environment. */
const USER = spawnSync("id", ["-un"], { encoding: "utf8" }).stdout.trim();

const SERVERS = ["account", "container", "object"] as const;
const SERVERS_SCRIPT = join(import.meta.dirname, "swift-servers.py");

/**
 * Much longer than a start takes with a cold disk and a busy processor: if Swift cannot start, one of its processes ends, which is noticed immediately.
 */
const START_DEADLINE_MS = 600_000;

export interface SwiftOptions {
  /** The parent of the store's folder; default: the system's temporary folder. */
  readonly parent?: string;
}

/** Returns the settings of a bucket in this store. The server uses it when `FILEHOST_STORAGE` is `s3`. */
export const s3Settings = (swift: TestSwift, bucket: string) => ({
  FILEHOST_S3_ENDPOINT: swift.endpoint,
  FILEHOST_S3_REGION: swift.region,
  FILEHOST_S3_BUCKET: bucket,
  FILEHOST_S3_ACCESS_KEY_ID: swift.accessKeyId,
  FILEHOST_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
});

/** Joins the Swift that all test files of this run share. Each file creates its buckets; none may stop or fill the store. */
export async function joinSwift(): Promise<TestSwift> {
  const { endpoint } = await joinShared<Pick<TestSwift, "endpoint">>("swift");
  return openSwift(endpoint);
}

/** Starts OpenStack Swift with s3api, one process of each kind on loopback ports, in a temporary folder that the disposal deletes. */
export async function startSwift({ parent = tmpdir() }: SwiftOptions = {}): Promise<TestSwift & AsyncDisposable> {
  const folder = await mkdtemp(join(parent, "swift-"));
  const children: ChildProcess[] = [];
  const dispose = async () => {
    await Promise.all(children.map(end));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const [proxy = 0, cache = 0, account = 0, container = 0, object = 0] = await reservePorts(5);
    const ports = { account, container, object };
    await mkdir(join(folder, "devices", "d1"), { recursive: true });
    await mkdir(join(folder, "run"));
    await writeFile(join(folder, "swift.conf"), SWIFT_CONF);
    await writeFile(join(folder, "log"), "");
    await Promise.all(SERVERS.map((name) => writeFile(join(folder, `${name}.conf`), serverConf(folder, name, ports[name]))));
    await writeFile(join(folder, "proxy.conf"), proxyConf({ folder, port: proxy, cachePort: cache }));

    const log = openSync(join(folder, "log"), "a");
    const launch = (program: string, args: readonly string[]) => {
      const child = spawn(program, args, { stdio: ["ignore", log, log], cwd: folder });
      children.push(child);
    };
    launch("memcached", ["-u", USER, "-l", "127.0.0.1", "-p", String(cache), "-m", "16"]);
    // Debian's Python has the Swift packages; another one on PATH may lack them.
    launch("/usr/bin/python3", [SERVERS_SCRIPT, folder, ...SERVERS.map((name) => String(ports[name]))]);
    closeSync(log);

    const endpoint = `http://127.0.0.1:${proxy}`;
    const ended = children.map(async (child) => {
      const [code, signal] = await once(child, "exit");
      throw new Error(`Swift did not start (${code ?? signal}):\n${await readFile(join(folder, "log"), "utf8")}`);
    });
    await Promise.race([until("Swift responds", () => responds(endpoint), { deadlineMs: START_DEADLINE_MS, everyMs: 50 }), ...ended]);
    return { ...openSwift(endpoint), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function openSwift(endpoint: string): TestSwift {
  return {
    endpoint,
    region: "us-east-1",
    accessKeyId: "test:tester",
    secretAccessKey: "testing",
    async createBucket({ forPages = false } = {}) {
      const name = `bucket-${crypto.randomUUID()}`;
      const headers = {
        "X-Auth-Token": await nativeToken(endpoint),
        ...(forPages && { "X-Container-Meta-Access-Control-Allow-Origin": PAGE_ORIGIN }),
      };
      // The second container has the parts. s3api would create it, but without the header for pages.
      for (const container of forPages ? [name, `${name}+segments`] : [name]) {
        const response = await fetch(`${endpoint}/v1/AUTH_test/${container}`, { method: "PUT", headers });
        if (!response.ok) throw new Error(`No bucket: ${response.status}`);
      }
      return name;
    },
    async segmentsOf(bucket) {
      const response = await fetch(`${endpoint}/v1/AUTH_test/${bucket}+segments`, {
        headers: { "X-Auth-Token": await nativeToken(endpoint) },
      });
      return response.ok ? (await response.text()).split("\n").filter((name) => name !== "") : [];
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

const SWIFT_CONF = `[swift-hash]
swift_hash_path_prefix = test
swift_hash_path_suffix = test
[storage-policy:0]
name = only
default = yes
`;

const serverConf = (folder: string, name: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${USER}
swift_dir = ${folder}
devices = ${join(folder, "devices")}
mount_check = false
fallocate_reserve = 0
log_level = ERROR
# By default a change whose container takes more than a second, as on a busy machine, is listed some time later.
conn_timeout = 60
node_timeout = 60
container_update_timeout = 60
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
recon_cache_path = ${join(folder, "run")}
`;

interface ProxyOptions {
  readonly folder: string;
  readonly port: number;
  readonly cachePort: number;
}

const proxyConf = ({ folder, port, cachePort }: ProxyOptions): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${USER}
swift_dir = ${folder}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors cache s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# Otherwise a server that has not started at the first request counts as down for a minute.
error_suppression_limit = 1000000
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
# It contains the tokens. By default ten slow responses on a busy machine exclude it for a minute, in which every token is refused.
error_suppression_interval = 0
memcache_max_connections = 100
connect_timeout = 30
pool_timeout = 30
io_timeout = 30
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
max_upload_part_num = 10000
cors_preflight_allow_origin = ${PAGE_ORIGIN}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000
[filter:dlo]
use = egg:swift#dlo
`;

/** Whether all four servers work: stores an object and deletes it. */
async function responds(endpoint: string): Promise<boolean> {
  const headers = { "X-Auth-Token": await nativeToken(endpoint) };
  const steps = [
    ["PUT", "probe"],
    ["PUT", "probe/object"],
    ["DELETE", "probe/object"],
    ["DELETE", "probe"],
  ] as const;
  for (const [method, path] of steps) if (!(await fetch(`${endpoint}/v1/AUTH_test/${path}`, { method, headers })).ok) return false;
  return true;
}

async function nativeToken(endpoint: string): Promise<string> {
  const headers = { "X-Auth-User": "test:tester", "X-Auth-Key": "testing" };
  const response = await fetch(`${endpoint}/auth/v1.0`, { headers });
  return response.headers.get("x-auth-token") ?? "";
}
