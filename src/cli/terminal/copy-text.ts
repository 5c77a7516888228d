import { spawn } from "node:child_process";
import type { Terminal } from "../command.ts";

const TIMEOUT_MS = 3000;

type Program = readonly [name: string, ...args: string[]];

/** Copies a text to the clipboard, by a program of the system, otherwise by the terminal (OSC 52). Resolves to false if neither is available. */
export async function copyText(
  text: string,
  { env, err, isInteractive }: Pick<Terminal, "env" | "err" | "isInteractive">,
): Promise<boolean> {
  for (const program of clipboardPrograms(env)) if (await feed(program, text)) return true;
  if (!isInteractive) return false;
  await err(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`);
  return true;
}

function clipboardPrograms(env: Terminal["env"]): readonly Program[] {
  if (process.platform === "darwin") return [["pbcopy"]];
  if (process.platform === "win32") return [["clip.exe"]];
  return [
    ...(env.WAYLAND_DISPLAY ? ([["wl-copy"]] as const) : []),
    ...(env.DISPLAY
      ? ([
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"],
        ] as const)
      : []),
    ...(env.WSL_DISTRO_NAME ? ([["clip.exe"]] as const) : []),
  ];
}

/** Whether the program accepted the text. */
function feed([name, ...args]: Program, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(name, args, { stdio: ["pipe", "ignore", "ignore"], timeout: TIMEOUT_MS });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
    child.stdin.on("error", () => resolve(false));
    child.stdin.end(text);
  });
}
