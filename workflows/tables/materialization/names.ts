export const materializationWorkflowType = 'materialization';
/** Others that built the same tables have ended. */
export const wakeMaterializationSignal = 'wakeMaterialization';
/** Maximum number of tables of one run that are built at once: what an organization may always use. */
export const buildsAtOnce = 2;
/** The type of an attempt's failure if all processes that its organization may use are busy. */
export const noProcessFailure = 'NoProcess';
