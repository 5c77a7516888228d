/** Invalid settings. The message has one line per setting, with its name and how to write it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
