/** Texts of the parts that all pages share: buttons, notices, the header, menus and settings. */
export const common = {
  close: "Close",
  cancel: "Cancel",
  loading: "Loading",
  loadingApproval: "Loading the approval",
  tryAgain: "Try again",
  risk: {
    low: "low risk",
    medium: "medium risk",
    high: "high risk",
    critical: "critical risk",
  },
  partMissing: {
    title: "Part of this page could not be loaded",
    advice:
      "Nothing was decided. Reload the page once the server responds. Anything you have not sent will be lost.",
    reload: "Reload",
  },
};
