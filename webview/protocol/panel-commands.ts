/** Commands that buttons of the page may run. */
export const PANEL_COMMANDS = [
  "tiller.newSession",
  "tiller.continueRun",
  "tiller.keepSession",
  "tiller.pickModel",
  "tiller.pickPermissionMode",
  "tiller.pickThinkingLevel",
  "tiller.setApiKey",
  "tiller.raiseCostLimit",
  "tiller.restartAgent",
  "tiller.showLog",
  "tiller.copyReport",
  "tiller.manageTrust",
  "tiller.openFolder",
  "tiller.pickFolder",
  "tiller.followAgent",
  "tiller.openSettings",
] as const;
