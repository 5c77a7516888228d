/** Signing in at an OpenID Connect provider. */
export const provider = {
  or: "or",
  continueWith: (provider: string) => `Continue with ${provider}`,
  leaving: (provider: string) => `Going to ${provider}`,
  leavingText: "You come back here when you have signed in there.",
  connections: "Sign in with another service",
  connectionsText: "Connect it to sign in here without a password.",
  notConnected: "Not connected",
  connectedSince: (date: string) => `Connected since ${date}`,
  unusable: "This server no longer uses it.",
  connect: (provider: string) => `Connect ${provider}`,
  disconnect: "Disconnect",
  lastWay: "You have no other way to sign in. Set a password first.",
  problems: {
    unavailable: {
      title: (provider: string) => `${provider} does not respond`,
      text: (provider: string) => `This server could not reach ${provider}, or is not set up for it.`,
      next: () => "Try again in a minute, or sign in with your password.",
      action: "Go to the sign-in page",
    },
    cancelled: {
      title: () => "You did not sign in",
      text: (provider: string) => `You stopped at ${provider}. Nothing has changed here.`,
      next: () => "Try again, or sign in with your password.",
      action: "Go to the sign-in page",
    },
    invalid: {
      title: () => "That did not work",
      text: () => "It took too long, was used before, or began in another browser.",
      next: () => "Start again from the sign-in page.",
      action: "Go to the sign-in page",
    },
    noAddress: {
      title: () => "Your email address is missing",
      text: (provider: string) => `${provider} did not tell us your email address.`,
      next: (provider: string) => `Allow ${provider} to share it, or create an account with a password.`,
      action: "Go to the sign-in page",
    },
    taken: {
      title: () => "Your address already has an account",
      text: (provider: string) => `That account is not connected to ${provider} yet.`,
      next: (provider: string) => `Sign in to that account, and connect ${provider} in the settings.`,
      action: "Sign in",
    },
    elsewhere: {
      title: () => "That is not the right account",
      text: (provider: string) => `The account at ${provider} is not connected to yours here.`,
      next: (provider: string) => `Sign in to another account at ${provider}, then try again.`,
      action: "Go to the settings",
    },
    closed: {
      title: () => "This server does not offer sign-up",
      text: (provider: string) => `No account here is connected to yours at ${provider}.`,
      next: () => "Ask the administrator for an account or an invite.",
      action: "Go to the sign-in page",
    },
    invite: {
      title: () => "This invite does not work",
      text: () => "It was used, has expired or is for another address.",
      next: () => "Ask for a new one.",
      action: "Go to the sign-in page",
    },
    disabled: {
      title: () => "Your account is disabled",
      text: () => "The administrator of this server has disabled it.",
      next: () => "Ask the administrator why.",
      action: "Go to the start page",
    },
    notProved: {
      title: (provider: string) => `${provider} did not ask for your password`,
      text: (provider: string) => `This server needs ${provider} to ask for it again, and to say so.`,
      next: () => "Set a password here, and prove that it is you with it.",
      action: "Go to the settings",
    },
  },
};

export type ProviderTexts = typeof provider;
