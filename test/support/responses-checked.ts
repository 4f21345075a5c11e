/** How many responses of the sandbox were compared with the OpenAPI document, for the test that the comparison takes place. */
export const responsesChecked = { count: 0 };
