export const materializationWorkflowType = 'materialization';
/** Others that built the same tables have ended. */
export const wakeMaterializationSignal = 'wakeMaterialization';
/** Maximum number of tables of one run that are built at once: what an organization may always use. */
export const buildsAtOnce = 2;
