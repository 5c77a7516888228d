/** The settings: their navigation. */
export const settings = {
  settings: "Settings",
  profile: "Profile",
  security: "Security",
};

export type SettingsTexts = typeof settings;
