package sqlstore_test

const roleVariable = "HOLDFAST_SQLSTORE_ROLE"

func victim(string) int { return 0 }
