import { spawn } from "node:child_process";
import type { Environment } from "./private-files.ts";

/** Whether a browser can be shown to the person who runs the command. */
export function hasBrowser(env: Environment): boolean {
  if (env.BROWSER) return true;
  // Over SSH, a browser would open on the other machine.
  if (env.SSH_CONNECTION || env.SSH_TTY) return false;
  return process.platform === "win32" || process.platform === "darwin" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** Opens a page in the person's browser: with the program of `BROWSER`, or as the system does. Resolves to whether a program was started. */
export async function openInBrowser(url: URL, env: Environment): Promise<boolean> {
  const [program, ...args] = env.BROWSER
    ? [env.BROWSER]
    : OPENERS[process.platform === "win32" || process.platform === "darwin" ? process.platform : "linux"];
  const child = spawn(program, [...args, url.href], { detached: true, stdio: "ignore", windowsHide: true });
  return await new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Without a shell, which would read parts of a URL as its own. */
const OPENERS = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
} as const;
