import { hostname } from "node:os";
import { runtime } from "#runtime";
import type { ProfileSecret } from "../../client/sign-in/secrets.ts";
import type { SavedSignIn } from "../../client/sign-in/sign-in.ts";
import { AppError } from "../../errors.ts";
import { describeSignIn } from "../client/sign-in.ts";
import { defineCommand, type Terminal } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { whileInterruptible } from "../terminal/interrupt.ts";
import { toPlain } from "../terminal/text.ts";

const SCOPES = ["files.read", "files.write", "account"] as const;

export const login = defineCommand({
  details:
    "Opens your browser, where you sign in and allow this device to use your account. Without a browser, such as over SSH, it shows a code " +
    "that you enter on any device. Programs use an API key: --key-file, or --with-key.\n\n" +
    "The server and your account are kept as a profile, which is the default from then on; the secret is kept in the keyring of your system, or in a file that only you can read.",
  args: {
    URL: { suggests: "servers", help: "The address of the filehost; default: FILEHOST_SERVER, or that of your profile", optional: true },
  },
  options: {
    profile: { ...CLIENT_OPTIONS.profile, help: "The profile's name; default: that of the server" },
    device: { kind: "flag", help: "Show a code that you enter in a browser on any device" },
    "with-key": { kind: "flag", help: "Ask for an API key, or read it from standard input" },
    "key-file": { kind: "text", value: "PATH", help: "Use the API key in this file, which can be deleted afterwards" },
    scope: { kind: "text", choices: SCOPES, default: "files.write", help: "What this device may do" },
    "no-keyring": { kind: "flag", help: "Keep the secret in a file, not in the keyring of your system" },
  },
  settings: [],
  examples: [
    "filehost login https://files.example.org",
    "filehost login --device https://files.example.org",
    "filehost login https://files.example.org --with-key < key.txt",
    "filehost login https://work.example.org --profile work",
  ],
  async run({ args, options, terminal }) {
    const { env } = terminal;
    const help = "filehost login --help";
    if ([options.device, options["with-key"], options["key-file"] !== undefined].filter(Boolean).length > 1)
      throw new UsageError("Choose one of --device, --with-key and --key-file.", help);
    const [{ chooseServer }, { checkReplaceable, nameProfile, saveSignIn }, { checkProfileName, openProfiles }] = await Promise.all([
      import("../../client/server/choose-server.ts"),
      import("../../client/sign-in/sign-in.ts"),
      import("../../client/sign-in/profiles.ts"),
    ]);
    const asked = options.profile === undefined ? undefined : checkProfileName(options.profile);
    const isKnown = (await openProfiles(env).list()).some(({ name }) => name === asked);
    const chosen = await chooseServer({ options: { url: args.URL, profile: isKnown ? asked : undefined }, env });
    if (!chosen) throw new UsageError("filehost login requires URL: the address of the filehost.", help);
    const server = chosen.url.replace(/\/api$/, "");
    const name = asked ?? (await nameProfile(env, server));
    await checkReplaceable(env, name, server);
    const secret = await obtainSecret({ server, options, terminal });
    const location = options["no-keyring"] ? "file" : "keyring";
    const signedIn = await saveSignIn({ env, keyring: runtime.keyring }, { server, name, secret, location });
    return describeSignedIn(server, signedIn);
  },
});

interface Asked {
  readonly server: string;
  readonly options: {
    readonly device: boolean;
    readonly "with-key": boolean;
    readonly "key-file": string | undefined;
    readonly scope: (typeof SCOPES)[number];
  };
  readonly terminal: Terminal;
}

async function obtainSecret({ server, options, terminal }: Asked): Promise<ProfileSecret> {
  if (options["key-file"] !== undefined || options["with-key"]) {
    const { checkKey, readKeyFile } = await import("../../client/server/choose-server.ts");
    if (options["key-file"] !== undefined) return { key: (await readKeyFile(options["key-file"])).key };
    return { key: checkKey(await readKey(terminal, server), "The key") };
  }
  const [{ discoverServer }, { toSignInError }, { hasBrowser }] = await Promise.all([
    import("../../client/server/discover-server.ts"),
    import("../../client/sign-in/oauth.ts"),
    import("../../client/sign-in/open-browser.ts"),
  ]);
  const signIn = {
    server: await discoverServer(server),
    scope: SCOPES.slice(0, SCOPES.indexOf(options.scope) + 1).join(" "),
    clientName: `filehost on ${hostname()}`,
  };
  try {
    return await whileInterruptible(
      () => "You are not signed in.",
      async (signal) =>
        options.device || !hasBrowser(terminal.env)
          ? await useDevice({ ...signIn, signal }, terminal)
          : await useBrowser({ ...signIn, signal }, terminal),
    );
  } catch (error) {
    throw toSignInError(error);
  }
}

const MAX_KEY_BYTES = 10_000;

/** Reads the key from a person, or from all of standard input. */
async function readKey({ isInputTerminal, askSecret, input }: Terminal, server: string): Promise<string> {
  if (isInputTerminal) return await askSecret(`API key for ${server}: `);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of input()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_KEY_BYTES) throw new AppError("VALIDATION_FAILED", "Standard input has more than a key. Pass the key alone.");
  }
  return text;
}

type SignIn = Omit<Parameters<typeof import("../../client/sign-in/sign-in-browser.ts").signInByBrowser>[0], "open">;

async function useBrowser(signIn: SignIn, { env, err }: Terminal): Promise<ProfileSecret> {
  const [{ signInByBrowser }, { openInBrowser }] = await Promise.all([
    import("../../client/sign-in/sign-in-browser.ts"),
    import("../../client/sign-in/open-browser.ts"),
  ]);
  return await signInByBrowser({
    ...signIn,
    async open(url) {
      await err(`Sign in with your browser. If it does not open, open this page yourself on this machine:\n\n  ${url.href}\n\n`);
      await err("Waiting for you. Without a browser on this machine, press Ctrl-C and run: filehost login --device\n");
      await openInBrowser(url, env);
    },
  });
}

async function useDevice(signIn: SignIn, { err }: Terminal): Promise<ProfileSecret> {
  const { signInByDevice } = await import("../../client/sign-in/sign-in-device.ts");
  return await signInByDevice({
    ...signIn,
    async show({ userCode, url, expiresInSeconds }) {
      await err(`Open this page on any device, and enter the code:\n\n  ${url}\n  ${userCode}\n\n`);
      await err(`Waiting for you. The code is valid for ${Math.round(expiresInSeconds / 60)} minutes.\n`);
    },
  });
}

function describeSignedIn(server: string, { name, location, me }: SavedSignIn) {
  const data = { ...describeSignIn(server, me), profile: name, secret: location };
  return {
    data,
    text: `Signed in to ${server} as ${toPlain(me.owner.name)} (profile ${name})\n`,
    notes: location === "file" ? ["The secret is in a file that only you can read: no keyring was used."] : [],
  };
}
