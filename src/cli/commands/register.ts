import { hostname } from "node:os";
import { runtime } from "#runtime";
import { AppError } from "../../errors.ts";
import { describeSignIn } from "../client/sign-in.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { whileInterruptible } from "../terminal/interrupt.ts";
import { toPlain } from "../terminal/text.ts";

export const register = defineCommand({
  details:
    "The account of an agent: this machine proves some seconds of work for it. Its key is shown nowhere, and kept as a profile, which is the default from then on. Without this key, nobody can use the account.",
  args: {
    URL: { suggests: "servers", help: "The address of the filehost; default: FILEHOST_SERVER, or that of your profile", optional: true },
  },
  options: {
    label: { kind: "text", help: "What the key is used for; default: the name of this machine" },
    profile: { ...CLIENT_OPTIONS.profile, help: "The profile's name; default: that of the server" },
    "no-keyring": { kind: "flag", help: "Keep the key in a file, not in the keyring of your system" },
  },
  settings: [],
  examples: ["filehost register https://files.example.org", 'filehost register https://files.example.org --label "nightly builds"'],
  async run({ args, options, terminal: { env, err } }) {
    const [{ chooseServer }, { checkReplaceable, nameProfile }, { saveAgent }, { checkProfileName }, { createRemoteApi }, agents, work] =
      await Promise.all([
        import("../../client/server/choose-server.ts"),
        import("../../client/sign-in/sign-in.ts"),
        import("../../client/sign-in/save-agent.ts"),
        import("../../client/sign-in/profiles.ts"),
        import("../../client/server/remote-api.ts"),
        import("../../client/sign-in/register-agent.ts"),
        import("../../lib/secrets/solve-challenge.ts"),
      ]);
    const chosen = await chooseServer({ options: { url: args.URL }, env });
    if (!chosen) throw new UsageError("filehost register requires URL: the address of the filehost.", "filehost register --help");
    const server = chosen.url.replace(/\/api$/, "");
    const name = options.profile === undefined ? await nameProfile(env, server) : checkProfileName(options.profile);
    await checkReplaceable(env, name, server);
    const api = createRemoteApi({ url: server, key: () => key, account: () => "" });
    let key: string | undefined;
    const location = options["no-keyring"] ? "file" : "keyring";
    const secret = await whileInterruptible(
      () => "Nothing is registered.",
      (signal) =>
        saveAgent({ env, keyring: runtime.keyring }, { api, server, name, location }, async () => {
          const registered = await agents.registerAgent({
            api,
            label: options.label ?? hostname(),
            solve: (challenge, signal) => work.solveChallenge(challenge, { caller: "", signal }),
            signal,
            onStep: ({ message }) => void err(`${message}\n`),
          });
          key = registered.key;
          return registered;
        }),
    );
    const me = await api.call("getMe", {}).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(error.code, `You are registered, and the key is kept (profile ${name}). ${error.message}`, { cause: error });
    });
    const data = { ...describeSignIn(server, me), profile: name, secret };
    return { data, text: `Registered at ${server} as ${toPlain(me.owner.id)} (profile ${name})\n` };
  },
});
