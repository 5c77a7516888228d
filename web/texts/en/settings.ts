/** The settings: their navigation. */
export const settings = {
  settings: "Settings",
  profile: "Profile",
  security: "Security",
  applications: "Connected applications",
  noApplications: "Applications with access to your account are listed here. There are none.",
};

export type SettingsTexts = typeof settings;
