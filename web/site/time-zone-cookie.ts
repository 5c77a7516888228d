/** The cookie in which a script stores the time zone of the device, for the pages of people who are signed in. */
export const TIME_ZONE_COOKIE = "timezone";
