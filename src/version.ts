import pkg from "../package.json" with { type: "json" };

/** The release, as `filehost version`, `/health` and the capabilities report it. */
export const VERSION: string = pkg.version;
