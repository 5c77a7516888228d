/** How an account gets and pays for Pro, on the settings' page of usage. */
export const pro = {
  title: "Get Pro",
  gives: (storage: string, file: string, time: string) => `${storage} of storage, files of up to ${file}, kept for up to ${time}.`,
  yours: "Your Pro",
  /** For one unit of time, then for several, such as "3 months". */
  per: { day: "a day", week: "a week", month: "a month", year: "a year" },
  each: (price: string, period: string) => `${price} every ${period}`,
  buy: (plan: string) => `Get ${plan}`,
  payAtStripe: "You pay on a page of Stripe, then come back here. You can cancel at any time.",
  renews: (plan: string, date: string) => `${plan} is paid until ${date}, and then renews.`,
  ends: (plan: string, date: string) => `${plan} is cancelled. It is paid until ${date}, and then ends.`,
  late: (plan: string) => `The last payment for ${plan} failed. Stripe tries again. Check how you pay.`,
  plan: "Pro",
  manage: "Change how you pay, or cancel",
  resume: "Renew it, or change how you pay",
  bills: "Your bills at Stripe",
  given: "You have Pro without paying here.",
  elsewhere: "You pay for Pro on another page of this site’s operator.",
  open: "Open that page",
  unverified: "Confirm your email address first. Then you can pay for Pro.",
  paid: "Payment received. Pro is active.",
  waiting: "Waiting for your payment",
  waitingText: "This takes a moment. The page updates automatically.",
  notPaid: "You did not pay? Show the plans",
  paysAlready: "You pay for Pro already.",
  problem: "Stripe does not respond right now. Nothing was charged. Try again in a minute.",
};

export type ProTexts = typeof pro;
