export const appHealthWorkflowType = 'appHealth';
/** Makes the process read its apps again, because one was registered or removed. */
export const wakeAppHealthSignal = 'wake';
