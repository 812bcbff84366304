package webhook

// FieldNames are the fields of a payload, for tests.
func FieldNames() []string { return fieldNames() }
