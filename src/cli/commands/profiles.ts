import { defineCommand } from "../command.ts";
import { formatTable } from "../terminal/text.ts";

const load = () => import("../../client/sign-in/profiles.ts");

export const profilesList = defineCommand({
  settings: [],
  examples: ["filehost profiles list"],
  async run({ terminal: { env } }) {
    const found = await (await load()).openProfiles(env).list();
    const data = found.map(({ name, server, isDefault, signIn = null, secret = null }) => ({ name, server, isDefault, signIn, secret }));
    const rows = data.map(({ name, server, isDefault, signIn, secret }) => [
      name,
      server,
      signIn === "oauth" ? "account" : (signIn ?? "-"),
      secret ?? "-",
      isDefault ? "default" : "",
    ]);
    return {
      data: { profiles: data },
      text: formatTable(["PROFILE", "SERVER", "SIGN-IN", "SECRET", ""], rows, "No profiles. Run: filehost login URL"),
    };
  },
});

export const profilesUse = defineCommand({
  args: { NAME: { help: "The profile's name", suggests: "profiles" } },
  settings: [],
  examples: ["filehost profiles use work"],
  async run({ args, terminal: { env } }) {
    await (await load()).openProfiles(env).setDefault(args.NAME);
    return { data: { default: args.NAME }, text: `Commands now use the profile ${args.NAME}\n` };
  },
});
