import type { ReportReason } from "../../../src/contract/scalars.ts";

/** Texts of the form that reports a share. */
export const report = {
  title: "Report a file",
  intro: "The administrator of this server reads your report. Your IP address is not stored with it.",
  link: "Link",
  reason: "What is wrong?",
  reasons: {
    malware: "Malware or a virus",
    phishing: "Phishing or fraud",
    illegal: "Illegal content",
    copyright: "Copyright infringement",
    personal_data: "Personal data without consent",
    other: "Something else",
  } satisfies Record<ReportReason, string>,
  details: "Details",
  optional: "(optional)",
  email: "Your mail address",
  emailUse: "(optional, for questions)",
  send: "Send report",
  problems: {
    reason: "Choose what is wrong.",
    details: "Shorten the details to 1,000 characters.",
    email: "Enter a mail address such as ada@example.org, or leave it empty.",
  },
  tooMany: (minutes: number) => `You have sent many reports. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
};

export type ReportTexts = typeof report;
