import pkg from "../package.json" with { type: "json" };

/** The version, as `filehost version`, `/health` and the capabilities report it. */
export const VERSION: string = pkg.version;
