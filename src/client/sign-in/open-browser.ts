import { spawn } from "node:child_process";
import type { Environment } from "../records/private-files.ts";

/** Whether a browser can be shown to the person who runs the command. */
export function hasBrowser(env: Environment): boolean {
  if (env.BROWSER) return true;
  // Over SSH, a browser would open on the other machine.
  if (env.SSH_CONNECTION || env.SSH_TTY) return false;
  return process.platform === "win32" || process.platform === "darwin" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/**
 * The time after which a started browser counts as success. A program that hands the page to a browser ends sooner; a browser itself keeps running.
 */
const START_TIMEOUT_MS = 3000;

/**
 * Opens a page in the person's browser, with the command of `BROWSER` or the system's. Resolves to false if the command fails to start, or refuses
 * the page.
 */
export async function openInBrowser(url: URL, env: Environment): Promise<boolean> {
  // Other schemes could start other programs.
  if (!/^https?:$/.test(url.protocol)) return false;
  const [program = "", ...args] = browserCommand(url.href, env);
  const child = spawn(program, args, { detached: true, stdio: "ignore", windowsHide: true });
  return await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), START_TIMEOUT_MS);
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0));
    child.unref();
  });
}

/**
 * Returns the command that opens a page. It runs without a shell, which would interpret parts of a URL; in `BROWSER`, `%s` stands for the page, as in
 * other programs.
 */
function browserCommand(page: string, { BROWSER }: Environment): readonly string[] {
  const [first] = (BROWSER ?? "").split(process.platform === "win32" ? ";" : ":").filter((command) => command.trim() !== "");
  if (first === undefined)
    return [...OPENERS[process.platform === "win32" || process.platform === "darwin" ? process.platform : "linux"], page];
  const words = first.trim().split(/\s+/);
  return words.includes("%s") ? words.map((word) => (word === "%s" ? page : word)) : [...words, page];
}

const OPENERS = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
} as const;
