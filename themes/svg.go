package themes

func checkSVG(data []byte) error { return checkText(data) }
