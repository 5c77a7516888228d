import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { described, MAX_REPORT_DETAILS, reportReason, shortId, storedText, text } from "../../contract/scalars.ts";

/** Operations on reports (reports, "Reporting a share"). */
export const reportsContract = {
  createReport: defineOperation({
    summary: "Report a share to the server's administrator",
    description:
      "For shares that are active, blocked, expired or used up. The reporter's IP address is not stored. The administrator sees the report with the share's name, size and SHA-256 of this moment.",
    tag: "Reports",
    method: "POST",
    path: "/reports",
    access: "public",
    input: () =>
      z.object({
        shortId,
        reason: reportReason,
        details: described(
          storedText(MAX_REPORT_DETAILS).nullish(),
          "What the administrator should know",
          "Imitates a bank's sign-in page.",
        ),
        email: described(
          text(254)
            .regex(/^[^\s@]+@[^\s@]+$/, "give an email address such as ada@example.org")
            .nullish(),
          "Where the administrator can reach the reporter",
          "ada@example.org",
        ),
      }),
    output: () => z.object({ id: described(z.uuid(), "The report's ID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e") }),
    envelope: "data",
    errors: {
      404: "No such share, or it was deleted",
      429: "The IP address has sent too many reports",
    },
  }),
} as const;
