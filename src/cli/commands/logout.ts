import { runtime } from "#runtime";
import { AppError } from "../../errors.ts";
import { defineCommand } from "../command.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";

export const logout = defineCommand({
  details:
    "Ends the connection of this device at the server, and removes the secret from this device. An API key still works afterwards, because it may be in use elsewhere: revoke it on the page of your keys.",
  options: {
    profile: { ...CLIENT_OPTIONS.profile, help: "The profile; default: FILEHOST_PROFILE, or the default profile" },
    force: { kind: "flag", help: "Remove the profile also if the server cannot be reached, or if it has the only key of an agent" },
  },
  settings: [],
  examples: ["filehost logout", "filehost logout --profile work"],
  async run({ options, terminal: { env } }) {
    const [{ signOut }, { checkExists, openProfiles }] = await Promise.all([
      import("../../client/sign-in/sign-in.ts"),
      import("../../client/sign-in/profiles.ts"),
    ]);
    const profiles = await openProfiles(env).list();
    const asked = options.profile ?? (env.FILEHOST_PROFILE || profiles.find(({ isDefault }) => isDefault)?.name);
    if (asked === undefined) throw new AppError("NOT_FOUND", "You are not signed in: there is no profile.");
    checkExists(
      profiles.map(({ name }) => name),
      asked,
    );
    const found = profiles.find(({ name }) => name === asked);
    await signOut({ env, keyring: runtime.keyring }, asked, { isForced: options.force });
    return {
      data: { profile: asked, server: found?.server, signedOut: true },
      text: `Signed out of ${found?.server} (profile ${asked})\n`,
      notes: found?.signIn === "key" ? ["Its API key still works. Revoke it on the page of your keys if nothing else uses it."] : [],
    };
  },
});
