package check

// Param checks a parameter, or the body where in is InBody; nil is an absent one.
func Param[T any](c *Checker, in, name string, v *T, f func(*T, *Checker)) {
	if v != nil {
		c.At(in, name)
		f(v, c)
	}
}

// ParamOpt is Param for one that is optional.
func ParamOpt[T any](c *Checker, in, name string, v Optional[T], f func(*T, *Checker)) {
	Param(c, in, name, v.Ptr(), f)
}

// ParamList is Param for a list, of which nil is absent.
func ParamList[S ~[]T, T any](c *Checker, in, name string, v *S, f func(*S, *Checker)) {
	if *v != nil {
		Param(c, in, name, v, f)
	}
}

// ParamMap is Param for a map, of which nil is absent.
func ParamMap[M ~map[string]T, T any](c *Checker, in, name string, v *M, f func(*M, *Checker)) {
	if *v != nil {
		Param(c, in, name, v, f)
	}
}
